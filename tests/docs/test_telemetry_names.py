"""docs/telemetry.md, telemetry/names.py and the code agree on every name."""

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from everword.rpc.health import CHECK_INTERVAL_S
from everword.telemetry import names
from everword.v1.search_service_pb2 import SearchRequest
from support.calls import append
from support.documents import code, sources, table_rows
from support.stack import Stack
from support.waits import until

PAGE = "docs/telemetry.md"
NAMES = "everword/telemetry/names.py"
#: Function of everword.telemetry.tracing -> the table's name of the instrument.
KINDS = {
    "duration_histogram": "histogram",
    "counter": "counter",
    "up_down_counter": "up-down counter",
    "gauge": "gauge",
}
#: Units that Prometheus appends to a name; a unit in braces is a comment.
SUFFIXES = {"s": "_seconds", "By": "_bytes"}
CONSTANTS = {
    key: value for key, value in vars(names).items() if isinstance(value, str) and key.isupper()
}


class Instrument(NamedTuple):
    metric: str
    kind: str
    unit: str
    path: str


def _metrics() -> list[dict[str, str]]:
    return table_rows(PAGE, "Metrics")


def _attributes() -> list[dict[str, str]]:
    return table_rows(PAGE, "Attributes")


def _uses(tree: ast.Module) -> set[str]:
    """Return the names.CONSTANTs of a module."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "names"
        and node.attr in CONSTANTS
    }


def _instruments() -> Iterator[Instrument]:
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in KINDS and node.args and isinstance(node.args[0], ast.Attribute):
                unit = ast.literal_eval(node.args[1]) if len(node.args) > 1 else "s"
                metric = CONSTANTS[node.args[0].attr]
                yield Instrument(metric, KINDS[node.func.id], unit, path)


def _prometheus_name(metric: str, kind: str, unit: str) -> str:
    """Return Prometheus' name of a metric received by OTLP, with suffixes."""
    name = metric.replace(".", "_")
    suffix = SUFFIXES.get(unit, "")
    if not name.endswith(suffix):
        name += suffix
    return f"{name}_total" if kind == "counter" else name


def test_the_page_lists_every_metric_and_every_attribute_once() -> None:
    metrics = [code(row["metric"]) for row in _metrics()]
    attributes = [code(row["attribute"]) for row in _attributes()]
    assert sorted(metrics) == sorted(names.METRICS)
    assert sorted(attributes) == sorted(set(CONSTANTS.values()) - names.METRICS)


def test_no_two_constants_have_the_same_name() -> None:
    assert len(set(CONSTANTS.values())) == len(CONSTANTS)


def test_every_constant_is_used() -> None:
    used = set().union(*(_uses(tree) for path, tree in sources().items() if path != NAMES))
    assert set(CONSTANTS) - used == set()


def test_code_uses_constants_instead_of_literal_names() -> None:
    values = set(CONSTANTS.values()) - _packages()
    written_out = {
        (path, node.value)
        for path, tree in sources().items()
        if path != NAMES
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in values
    }
    assert written_out == set()


def test_the_page_names_the_kind_and_the_unit_that_the_code_records() -> None:
    recorded = {(one.metric, one.kind, one.unit) for one in _instruments()}
    documented = {(code(row["metric"]), row["kind"], code(row["unit"])) for row in _metrics()}
    assert recorded == documented


def test_the_page_spells_metrics_as_prometheus_does() -> None:
    for row in _metrics():
        metric, kind, unit = code(row["metric"]), row["kind"], code(row["unit"])
        assert code(row["in Prometheus"]) == _prometheus_name(metric, kind, unit)


def test_each_metric_is_recorded_where_the_page_says() -> None:
    recorded = {(one.metric, one.path) for one in _instruments()}
    for row in _metrics():
        assert (code(row["metric"]), _module(row["recorded in"])) in recorded


def test_each_attribute_is_set_where_the_page_says() -> None:
    constants = {value: key for key, value in CONSTANTS.items()}
    for row in _attributes():
        assert constants[code(row["attribute"])] in _uses(sources()[_module(row["set in"])])


def test_the_attributes_of_metrics_are_on_the_page() -> None:
    known = {row["attribute"] for row in _attributes()}
    for row in _metrics():
        assert {cell.strip() for cell in row["attributes"].split(",") if cell.strip()} <= known


async def test_page_documents_metrics_that_running_services_record(stack: Stack) -> None:
    reader = metric_reader()
    await append(stack, "the tea is cold")
    await stack.search.Search(SearchRequest(query="tea"))
    # The services look at their loop and their pool every few seconds.
    await until(lambda: names.POOL_SIZE in _recorded(reader), within_s=30 * CHECK_INTERVAL_S)
    documented = {code(row["metric"]): code(row["unit"]) for row in _metrics()}
    recorded = _recorded(reader)
    assert recorded.items() <= documented.items()
    assert {names.RPC_SERVER_DURATION, names.INGEST_MESSAGES, names.SEARCH_ARM_DURATION} <= set(
        recorded
    )


def _recorded(reader: InMemoryMetricReader) -> dict[str, str]:
    """Return the metrics that this process has recorded by now, with their units."""
    data = reader.get_metrics_data()
    return {
        metric.name: metric.unit or ""
        for resource in (data.resource_metrics if data else ())
        for scope in resource.scope_metrics
        if scope.scope.name == "everword"
        for metric in scope.metrics
    }


@cache
def metric_reader() -> InMemoryMetricReader:
    """Return the reader of this process; a meter provider can be set only once."""
    reader = InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider(metric_readers=[reader]))
    return reader


def _packages() -> set[str]:
    """Return the names of packages, which a metric may share."""
    return {path.removesuffix("/__init__.py").replace("/", ".") for path in sources()}


def _module(cell: str) -> str:
    path = code(cell)
    return path if path.startswith("everword_") else f"everword/{path}"
