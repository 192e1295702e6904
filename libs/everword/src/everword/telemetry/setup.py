"""Set OpenTelemetry up once in a process, from its standard OTEL_* variables."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from everword.domain.ids import new_id
from everword.telemetry.logs import setup_logs


def setup(service: str, log_level: str = "INFO") -> Callable[[], None]:
    """Set up logs, and traces and metrics where OTEL_EXPORTER_OTLP_ENDPOINT names a collector.

    Returns a function that sends what is still buffered; call it last.
    """
    setup_logs(service, log_level)
    if not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return lambda: None
    resource = Resource.create(
        {
            "service.name": f"everword-{service}",
            "service.namespace": "everword",
            "service.version": version("everword"),
            "service.instance.id": str(new_id()),
        }
    )
    traces = TracerProvider(resource=resource)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(traces)
    meters = MeterProvider(
        resource=resource, metric_readers=[PeriodicExportingMetricReader(OTLPMetricExporter())]
    )
    metrics.set_meter_provider(meters)

    def flush() -> None:
        traces.shutdown()
        meters.shutdown()

    return flush
