"""Everword over HTTP and JSON, on one port: the Connect protocol, for callers without gRPC."""
