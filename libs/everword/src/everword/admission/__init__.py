"""Fair sharing of a process among its callers, over gRPC and over HTTP."""
