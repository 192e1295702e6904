"""The export of a process's logs, traces and metrics. Without a collector configured, everything works the same."""
