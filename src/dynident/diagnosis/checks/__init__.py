"""Checks, one per file."""
