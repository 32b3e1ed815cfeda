"""The ground floor: what several rooms use and none owns."""
