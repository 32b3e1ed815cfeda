"""C. Gaz, F. Flacco, A. De Luca: extracting feasible parameters of the KUKA LWR IV+ from dynamic coefficients, ICRA 2016."""

from dynident.reproduce.experiment import Paper
from dynident.reproduce.gaz2016 import coefficients, extraction, validation

PAPER = Paper(
    key="gaz2016",
    citation=(
        'C. Gaz, F. Flacco, A. De Luca, "Extracting feasible robot parameters from dynamic coefficients using nonlinear '
        'optimization methods", ICRA 2016 (KUKA LWR IV+)'
    ),
    experiments=(coefficients.EXPERIMENT, extraction.EXPERIMENT, validation.EXPERIMENT),
)
