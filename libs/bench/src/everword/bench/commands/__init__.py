"""The commands `everword bench` and `everword calibrate`."""
