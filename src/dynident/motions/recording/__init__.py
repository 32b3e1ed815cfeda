"""Recording from robots: a connection per vendor, a plan that is shown before anything moves, and a log that survives trouble."""

from dynident.motions.recording.connection import ConnectionLostError, JointState, ModelAnswer, RobotConnection, RobotFaultError, Vendor
from dynident.motions.recording.plan import RecordingPlan, plan_configurations, plan_trajectory
from dynident.motions.recording.recorder import RecordingOutcome, RecordingStatus, record
from dynident.motions.recording.registry import VENDORS, connect, find_vendor

__all__ = [
    "VENDORS",
    "ConnectionLostError",
    "JointState",
    "ModelAnswer",
    "RecordingOutcome",
    "RecordingPlan",
    "RecordingStatus",
    "RobotConnection",
    "RobotFaultError",
    "Vendor",
    "connect",
    "find_vendor",
    "plan_configurations",
    "plan_trajectory",
    "record",
]
