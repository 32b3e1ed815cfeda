"""The nearest consistent parameters to those of a robot description."""
