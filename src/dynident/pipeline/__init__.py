"""From a robot and logs to a model in one call: guard, identification, cross-validation, links, validation."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.pipeline.fit import fit
    from dynident.pipeline.identify import SpoiledLogError, identify, refuse_spoiled
    from dynident.pipeline.model import Model, Verdict

__all__ = ["Model", "SpoiledLogError", "Verdict", "fit", "identify", "refuse_spoiled"]

make_lazy(__name__)
