"""gRPC as every Everword service speaks it: serving, authentication, errors, health, and outgoing channels."""
