"""OpenTelemetry: traces, metrics and JSON logs. Without a collector configured, everything works the same."""
