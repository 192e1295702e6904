"""What it takes beside time: memory of each process, disk for each message, and the time to start."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psutil

from everword.bench.speed.bed import POLL_S, START_S, Bed
from everword.bench.speed.row import Floor, Row
from everword.embedded.ports import HOST, free_ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import SERVICES, service_specs

MB = 1_000_000
#: What every service imports, whatever it does with it; the compactor does without numpy.
_LIBRARIES = "import grpc, psycopg, psycopg_pool, google.protobuf, opentelemetry.sdk, numpy"
_STARTS = 3
#: The longest wait until what nobody searches is given back.
_REST_S = 60.0
_STOP_S = 30.0


def memory(bed: Bed, scale: int) -> Row:
    """Return the resident memory of the largest service or worker right after it was busy.

    `details` tells what each has, what it has at rest, once what is mapped of files without names has been given back,
    and the most that it ever had.
    """
    resident = _resident(bed)
    peak = {process.name: _peak(process.pid) for process in bed.running.processes}
    deadline = time.monotonic() + _REST_S
    while time.monotonic() < deadline and any(_mapped(each.pid) for each in bed.running.processes):
        time.sleep(POLL_S)
    ours = {name: size for name, size in resident.items() if name not in {"postgres", "valkey"}}
    floor = Floor(_bare_memory(), "Python with the libraries that all use")
    told = {"MB": resident, "at_rest_MB": _resident(bed), "peak_MB": peak}
    details = {
        title: {name: round(size, 1) for name, size in each.items()} for title, each in told.items()
    }
    return Row("memory_1m", scale, max(ours.values()), "MB", floor, details)


def _resident(bed: Bed) -> dict[str, float]:
    return {
        process.name: psutil.Process(process.pid).memory_info().rss / MB
        for process in bed.running.processes
    }


def _peak(pid: int) -> float:
    """Return the most megabytes that a process ever had in memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    [kibibytes] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(kibibytes) * 1024 / MB


def _mapped(pid: int) -> int:
    """Return the resident bytes of files that are mapped and have no name."""
    maps = psutil.Process(pid).memory_maps(grouped=True)
    return sum(each.rss for each in maps if each.path[0] == "/" and not Path(each.path).exists())


def _bare_memory() -> float:
    report = f"{_LIBRARIES}; import psutil; print(psutil.Process().memory_info().rss)"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / MB


def disk(bed: Bed, scale: int) -> Row:
    """Return the bytes of everything in the schema, over the messages in it."""
    with bed.connect() as conn:
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


def startup(bed: Bed, scale: int) -> Row:
    """Return how long the slowest service takes until it is ready: a second one of each is started."""
    specs = {spec.name: spec for spec in service_specs(bed.running) if spec.name in SERVICES}
    took = {name: min(_start(bed, spec) for _ in range(_STARTS)) for name, spec in specs.items()}
    bare = min(_bare_start() for _ in range(_STARTS))
    details = {"s": {name: round(seconds, 3) for name, seconds in took.items()}}
    floor = Floor(bare, "Python with the libraries that all use")
    return Row("startup", scale, max(took.values()), "s", floor, details)


def _start(bed: Bed, spec: ProcessSpec) -> float:
    """Return the seconds from the start of a process until it says that it serves."""
    [port] = free_ports(1)
    address = f"{HOST}:{port}"
    running = replace(bed.running, addresses={**bed.running.addresses, spec.name: address})
    [other] = [each for each in service_specs(running) if each.name == spec.name]
    environment = {**other.environment, "EVERWORD_EMBED_URL": bed.stub_url}
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


def _bare_start() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", _LIBRARIES], check=True)
    return time.perf_counter() - started
