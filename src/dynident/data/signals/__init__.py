"""Signal processing of logs: filters, derivatives, resampling and masks, as pure functions."""
