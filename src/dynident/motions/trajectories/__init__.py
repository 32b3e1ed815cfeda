"""Kinds of trajectories, one file each, and their files."""
