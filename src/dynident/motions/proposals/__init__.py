"""Motions of the literature, by name, for any robot: what to drive, and how it is made to keep the limits."""
