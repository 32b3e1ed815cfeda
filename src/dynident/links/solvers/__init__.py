"""Solvers of retrieval problems, one file each."""
