"""Methods by name. A new method is its file and one line here; the command line and the contract suite then find it."""

from __future__ import annotations

from collections.abc import Mapping

from dynident.core.options import describe_all, settle_options
from dynident.errors import UnknownNameError
from dynident.routes.signs.magnitudes import Magnitudes
from dynident.routes.signs.methods import em, exact, tree
from dynident.routes.signs.methods.method import SearchSettings, SignHypotheses, SignMethod

METHODS: dict[str, SignMethod] = {method.name: method for method in (em.METHOD, exact.METHOD, tree.METHOD)}
"""The methods that recover signs, by name."""


def method_by_name(name: str) -> SignMethod:
    """The method of that name.

    Parameters
    ----------
    name
        The name.

    Returns
    -------
    SignMethod
        A row of `METHODS`.

    Raises
    ------
    UnknownNameError
        Where there is none; it lists those that there are.
    """
    if name not in METHODS:
        raise UnknownNameError("method", name, sorted(METHODS))
    return METHODS[name]


def search_signs(
    magnitudes: Magnitudes, *, method: str = "em", settings: SearchSettings | None = None, own: Mapping[str, object] | object | None = None
) -> SignHypotheses:
    """The hypotheses of a method, as they are: not yet refined, and without regard to physics.

    Parameters
    ----------
    magnitudes
        What `prepare_magnitudes` returned.
    method
        Name of the search.
    settings
        Seed, starts and budget.
    own
        Options of the method's own, by name or as its options class.

    Returns
    -------
    SignHypotheses
        The best first.
    """
    way = method_by_name(method)
    return way.search(magnitudes, settings or SearchSettings(), settle_options(way.options, own, f"method {method}"))


def describe_methods() -> str:
    """The methods with what they are, for help."""
    return "; ".join(f"{name}: {method.summary}" for name, method in METHODS.items())


def describe_options() -> str:
    """The options that methods have of their own, for help."""
    return describe_all(METHODS)
