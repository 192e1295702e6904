"""Requests and progress of the RPC `Sleep`."""
