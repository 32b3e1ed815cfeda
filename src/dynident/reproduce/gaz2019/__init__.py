"""C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano, A. De Luca: dynamic identification of the Franka Emika Panda, IEEE RA-L 2019."""

from dynident.reproduce.experiment import Paper
from dynident.reproduce.gaz2019 import classical, controller, friction, retrieval, spatial_2r, torques

PAPER = Paper(
    key="gaz2019",
    citation=(
        'C. Gaz, M. Cognetti, A. Oliva, P. Robuffo Giordano, A. De Luca, "Dynamic identification of the Franka Emika Panda robot with '
        'retrieval of feasible parameters using penalty-based optimization", IEEE RA-L 4(4), 2019, and its supplement'
    ),
    experiments=(
        controller.EXPERIMENT,
        classical.EXPERIMENT,
        friction.EXPERIMENT,
        retrieval.EXPERIMENT,
        torques.EXPERIMENT,
        spatial_2r.EXPERIMENT,
    ),
)
