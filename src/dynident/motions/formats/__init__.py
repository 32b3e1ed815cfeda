"""Files of trajectories as robots are given them; see `registry` for what there is."""
