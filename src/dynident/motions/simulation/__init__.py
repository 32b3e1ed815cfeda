"""A virtual robot on MuJoCo (extra `sim`): servo, friction, sensors; and a virtual controller that returns M, g and c."""

from typing import TYPE_CHECKING

from dynident.core.lazy import make_lazy

if TYPE_CHECKING:
    from dynident.motions.simulation.free_float import float_freely
    from dynident.motions.simulation.integrate import SimulationError
    from dynident.motions.simulation.payload import Payload, loaded_parameters
    from dynident.motions.simulation.plant import Elasticity, Plant, build_plant
    from dynident.motions.simulation.push import Push
    from dynident.motions.simulation.sensors import NOISES, Clock, Noise, Sensors, effort_scale
    from dynident.motions.simulation.servo import Feedforward, Servo
    from dynident.motions.simulation.simulated_friction import SimulatedFriction, typical_friction
    from dynident.motions.simulation.truth import Recording, Truth, write_truth
    from dynident.motions.simulation.virtual_arm import SensorReading, VirtualArm
    from dynident.motions.simulation.virtual_controller import VirtualController, random_configurations
    from dynident.motions.simulation.virtual_robot import simulate

__all__ = [
    "NOISES",
    "Clock",
    "Elasticity",
    "Feedforward",
    "Noise",
    "Payload",
    "Plant",
    "Push",
    "Recording",
    "SensorReading",
    "Sensors",
    "Servo",
    "SimulatedFriction",
    "SimulationError",
    "Truth",
    "VirtualArm",
    "VirtualController",
    "build_plant",
    "effort_scale",
    "float_freely",
    "loaded_parameters",
    "random_configurations",
    "simulate",
    "typical_friction",
    "write_truth",
]

make_lazy(__name__)
