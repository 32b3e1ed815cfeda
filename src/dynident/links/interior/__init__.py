"""The interior of the constraints: Newton steps, the central path, and conditions that are only functions."""
