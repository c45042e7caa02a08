"""Training, calibration and export of the models (extra ``train``)."""
