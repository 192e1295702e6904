"""Send traces and metrics to a collector, as the standard OTEL_* variables say."""

from __future__ import annotations

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


def begin_export(service: str) -> Callable[[], None]:
    """Export the traces and metrics of this process from now on; return a function that sends buffered data."""
    resource = Resource.create(
        {
            "service.name": f"everword-{service}",
            "service.namespace": "everword",
            "service.version": version("everword-server"),
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
