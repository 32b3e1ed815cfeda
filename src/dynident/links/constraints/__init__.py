"""Constraints on link parameters as data, and how files name them."""
