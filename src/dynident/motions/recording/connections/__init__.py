"""One file per vendor."""
