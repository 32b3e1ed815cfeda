"""Motions between standing positions, and how a robot gets to a motion and back."""
