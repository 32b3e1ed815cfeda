"""Description and table formats: URDF, MJCF, YAML, CSV."""
