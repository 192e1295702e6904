"""Measurements: `make bench-drain`. Nothing here is a test, and figures depend on the machine."""
