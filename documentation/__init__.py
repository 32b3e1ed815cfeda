"""What makes the parts of the documentation that are made: macros of pages, pictures from the real commands, notebooks from tutorials.

Nothing here is installed with dynident. Pictures and notebooks are kept in the repository; what pages take from declarations is not.
"""
