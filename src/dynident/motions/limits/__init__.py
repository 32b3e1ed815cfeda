"""What a trajectory must keep: joint limits, torques, workspace, clearance; and whether it does."""
