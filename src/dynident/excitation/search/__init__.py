"""The search for an exciting motion: its unknowns, its measure, and one start downhill."""
