"""Settings of every process of a service or worker: memory allocation and CPU priority."""
