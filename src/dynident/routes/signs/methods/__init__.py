"""Searches for signs, one file each and one line in the registry."""
