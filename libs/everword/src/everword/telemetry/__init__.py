"""OpenTelemetry's names, tracer and meter. They need its API alone; without its SDK nothing is recorded."""
