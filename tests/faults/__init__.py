"""Injects faults into a whole Everword under mixed traffic, and checks acknowledged results against stored data."""
