"""Models from other measurements than signed torques: |torque| and |current| (`signs`), currents (`drives`), a loaded arm (`payload`)."""
