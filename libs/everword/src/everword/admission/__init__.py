"""Shares what a process has among its callers, over gRPC and over HTTP."""
