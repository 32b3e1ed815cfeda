"""File formats of recorded data: one reader per format, a registry, and the writers."""
