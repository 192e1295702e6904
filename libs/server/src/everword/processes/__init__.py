"""What every process of a service or worker sets for itself: memory allocation and CPU priority."""
