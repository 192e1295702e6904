"""Where a process sends its logs, traces and metrics. Without a collector configured, everything works the same."""
