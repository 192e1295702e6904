"""Injects faults into a whole Everword under mixed traffic, and holds what callers were told against what is there."""
