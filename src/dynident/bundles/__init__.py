"""A run as one zip that can be attached to an issue: what a maintainer needs to repeat it, and no name of a person, place or machine."""

from dynident.bundles.bundle import Bundle

__all__ = ["Bundle"]
