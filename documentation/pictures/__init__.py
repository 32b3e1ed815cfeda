"""The pictures in docs/images, each made by real commands and a real browser.

A module here makes the pictures of one page or tutorial: its `make(work, browser)` returns the bytes of each file by its name. `work` is an
empty folder, `browser` a running Chromium. `python -m documentation.pictures [MODULE...]` makes those of all modules, or of some.
"""
