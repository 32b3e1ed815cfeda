"""Recording from robots: a connection per vendor, a plan that is shown before anything moves, and a log that survives trouble."""

from dynident.recording.connection import ConnectionLostError, JointState, ModelAnswer, RobotConnection, RobotFaultError, Vendor
from dynident.recording.plan import RecordingPlan, plan_configurations, plan_trajectory
from dynident.recording.recorder import RecordingOutcome, RecordingStatus, record
from dynident.recording.registry import VENDORS, connect, find_vendor

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
