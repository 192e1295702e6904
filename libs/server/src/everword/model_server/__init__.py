"""Common parts of all clients of model servers: settings, refusals, and a circuit breaker."""
