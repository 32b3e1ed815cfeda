"""From a file's arrays to a Dataset or ControllerSamples: columns, units, joint order, and the YAML beside the data."""
