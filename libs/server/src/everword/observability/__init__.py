"""The export of a process's logs, traces and metrics. Without a collector configured, everything works the same."""

from __future__ import annotations

import os
from collections.abc import Callable

from everword.observability.logs import setup_logs


def setup(service: str, log_level: str = "INFO") -> Callable[[], None]:
    """Set up logs, and traces and metrics if OTEL_EXPORTER_OTLP_ENDPOINT is set.

    Returns a function that sends buffered data; call it last.
    """
    setup_logs(service, log_level)
    if not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return lambda: None
    # Imported only with a collector: it is a tenth of a service's imports.
    from everword.observability.export import begin_export

    return begin_export(service)
