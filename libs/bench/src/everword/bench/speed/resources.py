"""Costs other than the time of calls: disk per message, and the time to start."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

from everword.bench.speed.bench_stack import POLL_S, START_S, BenchStack
from everword.bench.speed.row import Floor, Row
from everword.embedded.ports import HOST, free_ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import SERVICES, service_specs

#: Libraries that every service imports; the compactor does without numpy.
LIBRARIES = "import grpc, psycopg, psycopg_pool, google.protobuf, opentelemetry.sdk, numpy"
_STARTS = 3
_STOP_S = 30.0


def disk(bench: BenchStack, scale: int) -> Row:
    """Return the bytes of everything in the schema, over the messages in it."""
    with bench.connect() as conn:
        conn.execute("CHECKPOINT")
        tables = conn.execute(
            "SELECT regexp_replace(c.relname, '_p\\d+$', ''), sum(pg_total_relation_size(c.oid))::bigint"
            "  FROM pg_class c WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind = 'r'"
            " GROUP BY 1 ORDER BY 2 DESC"
        ).fetchall()
        messages, written = conn.execute(
            "SELECT count(*), sum(octet_length(content)) FROM messages"
        ).fetchone() or (1, 1)
    details = {
        "messages": messages,
        "bytes": {name: round(size / messages, 1) for name, size in tables[:8]},
    }
    floor = Floor(float(written) / messages, "the text itself")
    total = sum(size for _, size in tables)
    return Row("disk_per_message", scale, total / messages, "bytes", floor, details)


def startup(bench: BenchStack, scale: int) -> Row:
    """Return how long the slowest service takes until it is ready: a second one of each is started."""
    specs = {spec.name: spec for spec in service_specs(bench.running) if spec.name in SERVICES}
    elapsed = {
        name: min(_start(bench, spec) for _ in range(_STARTS)) for name, spec in specs.items()
    }
    bare = min(_interpreter_start_seconds() for _ in range(_STARTS))
    details = {"s": {name: round(seconds, 3) for name, seconds in elapsed.items()}}
    floor = Floor(bare, "Python with the libraries that all use")
    return Row("startup", scale, max(elapsed.values()), "s", floor, details)


def _start(bench: BenchStack, spec: ProcessSpec) -> float:
    """Return the seconds from the start of a process until it says that it serves."""
    [port] = free_ports(1)
    address = f"{HOST}:{port}"
    running = replace(bench.running, addresses={**bench.running.addresses, spec.name: address})
    [other] = [each for each in service_specs(running) if each.name == spec.name]
    environment = {**other.environment, "EVERWORD_EMBED_URL": bench.stub_url}
    started = time.perf_counter()
    process = subprocess.Popen(
        other.argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not other.ready():
            if process.poll() is not None or time.perf_counter() - started > START_S:
                raise RuntimeError(f"a second {spec.name} did not start")
            time.sleep(POLL_S / 5)
        return time.perf_counter() - started
    finally:
        process.terminate()
        process.wait(_STOP_S)


def _interpreter_start_seconds() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", LIBRARIES], check=True)
    return time.perf_counter() - started
