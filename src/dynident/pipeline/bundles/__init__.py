"""A run as one zip that can be attached to an issue: what a maintainer needs to repeat it, and no name of a person, place or machine."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.pipeline.bundles.bundle import Bundle
    from dynident.pipeline.bundles.repeat import make_bundle

__all__ = ["Bundle", "make_bundle"]

make_lazy(__name__)
