"""One layout for one vector: names, units, order; conversions; change of frame."""

from dynident.parameters.inertia import (
    ROUNDING,
    LinkInertia,
    change_of_frame,
    consistency_margin,
    from_com,
    from_pinocchio,
    from_pseudo_inertia,
    inertia_matrix,
    inertia_tensor,
    link_inertia,
    pseudo_inertia,
    to_com,
    to_pinocchio,
)
from dynident.parameters.layout import (
    INERTIA_ELEMENTS,
    INERTIA_NAMES,
    PARAMETERS_PER_LINK,
    ParameterEntry,
    link_rows,
    parameter_entries,
    parameter_names,
)

__all__ = [
    "INERTIA_ELEMENTS",
    "INERTIA_NAMES",
    "PARAMETERS_PER_LINK",
    "ROUNDING",
    "LinkInertia",
    "ParameterEntry",
    "change_of_frame",
    "consistency_margin",
    "from_com",
    "from_pinocchio",
    "from_pseudo_inertia",
    "inertia_matrix",
    "inertia_tensor",
    "link_inertia",
    "link_rows",
    "parameter_entries",
    "parameter_names",
    "pseudo_inertia",
    "to_com",
    "to_pinocchio",
]
