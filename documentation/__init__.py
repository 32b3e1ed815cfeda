"""What makes the parts of the documentation that are made: pictures from the real commands, reference pages from options and documents.

Nothing here is installed with dynident. Each part is a program, `python -m documentation.NAME`, and what it writes is kept in docs/.
"""
