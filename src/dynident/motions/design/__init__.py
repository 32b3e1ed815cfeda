"""The design of exciting motions: what is assumed, what is measured, and the search."""
