"""Generated code: C and Python."""
