"""M. Pennese, V. Vulcano: dynamic identification of a 1R and a 3R arm whose torques are known without their signs."""

from dynident.reproduce.experiment import Paper
from dynident.reproduce.unsigned import arms, consistency, panda

PAPER = Paper(
    key="unsigned",
    citation='M. Pennese, V. Vulcano, "Robotics II final project", Sapienza (1R and 3R arm, torque signs unknown)',
    experiments=(consistency.EXPERIMENT, arms.PENDULUM_EXPERIMENT, arms.SPATIAL_EXPERIMENT, panda.EXPERIMENT),
)
