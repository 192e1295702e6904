"""RPCs on background work as such, and the housekeeping of the service."""
