"""`python -m floods.documents`: one tenant's heaviest texts, during health checks and another tenant's appends.

`make test-floods` runs it. Every text has the largest size that its RPC accepts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import quantiles

import grpc
import psutil
from rich.console import Console
from rich.table import Table

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import document_service_pb2 as pb
from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as notes
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.document_service_pb2_grpc import DocumentServiceStub
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.note_service_pb2_grpc import NoteServiceStub
from support.callers import within
from support.calls import append_request
from support.document_calls import new_document, upload_requests
from support.heavy_texts import CROWDED_TEXTS, HEAVY_TEXTS, prose

MIB = 1 << 20
#: Seconds that an accepted call may take, and a refused one.
ANSWERED_S, REFUSED_S = 2.0, 1.0
#: Limits in seconds: the 95th percentile of health checks, and each append of another tenant.
HEALTH_S, APPEND_S = 0.1, 0.5
#: Bytes by which ingest's memory may grow.
MEMORY = 150 * MIB
TEXTS = {"prose": prose, **HEAVY_TEXTS, **CROWDED_TEXTS}
FLOOD, OTHER = within("flood"), within("other")


@dataclass(frozen=True)
class Row:
    """The cost of one call, and its effect on others."""

    rpc: str
    text: str
    answer: str
    seconds: float
    #: Of ingest and its parsers.
    cpu_s: float
    memory_mib: int
    #: The 95th percentile of health checks; the longest append.
    health_ms: float
    worst_append_ms: float

    def faults(self) -> list[str]:
        """Return which limits were exceeded."""
        limit = ANSWERED_S if self.answer == "OK" else REFUSED_S
        over = {
            "time": self.seconds > limit,
            "health": self.health_ms > 1000 * HEALTH_S,
            "append": self.worst_append_ms > 1000 * APPEND_S,
            "memory": self.memory_mib * MIB > MEMORY,
            "answer": self.answer not in ("OK", "INVALID_ARGUMENT"),
        }
        return [name for name, is_over in over.items() if is_over]


class Calls:
    """The calls that carry a text, by the name of their RPC."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._documents = DocumentServiceStub(channel)
        self._workspace = DocumentServiceStub(channel)
        self._notes = NoteServiceStub(channel)
        self._ingest = IngestServiceStub(channel)
        self._made = 0

    def kinds(self) -> dict[str, tuple[int, Callable[[str], Awaitable[object]]]]:
        """Return the largest text of each call, in bytes, and the call."""
        return {
            "WriteDocument": (MIB, self._write),
            "WriteDocument, append": (MIB, self._append),
            "UploadDocument": (MIB, self._upload),
            "WriteWorkspaceFile": (262_144, self._write_file),
            "WriteNote": (65_536, self._write_note),
            "AppendMessages": (MIB, self._append_message),
        }

    def _title(self) -> str:
        self._made += 1
        return f"Text {self._made}"

    def _write(self, text: str) -> Awaitable[object]:
        request = pb.WriteDocumentRequest(document=new_document(self._title()), content=text)
        return self._documents.WriteDocument(request, metadata=FLOOD)

    def _append(self, text: str) -> Awaitable[object]:
        # The second text of each document is appended to the first.
        self._made += 1
        title = f"Grown {self._made // 2}"
        request = pb.WriteDocumentRequest(document=new_document(title), content=text, append=True)
        return self._documents.WriteDocument(request, metadata=FLOOD)

    def _upload(self, text: str) -> Awaitable[object]:
        parts = upload_requests(text.encode(), self._title(), "text.md")
        return self._documents.UploadDocument(parts, metadata=FLOOD)

    def _write_file(self, text: str) -> Awaitable[object]:
        request = pb.WriteWorkspaceFileRequest(name=pb.WORKSPACE_FILE_NAME_MEMORY, content=text)
        return self._workspace.WriteWorkspaceFile(request, metadata=FLOOD)

    def _write_note(self, text: str) -> Awaitable[object]:
        request = notes.WriteNoteRequest(note=note_pb2.NewNote(content=text))
        return self._notes.WriteNote(request, metadata=FLOOD)

    def _append_message(self, text: str) -> Awaitable[object]:
        return self._ingest.AppendMessages(
            append_request(text, session_key=self._title()), metadata=FLOOD
        )


async def run(only: list[str], size: float, tell: Callable[[Row], None]) -> list[Row]:
    """Return a row for each call and text. An empty `only` selects all RPCs."""
    rows = list[Row]()
    async with stack(
        StackSettings(data=None, ports=Ports.free()), services=_without_workers
    ) as running:
        address = running.addresses["ingest"]
        async with open_channel(address) as channel, open_channel(address) as others:
            for name in ("flood", "other"):
                request = CreateNamespaceRequest(namespace=Namespace(name=name))
                await AdminServiceStub(channel).CreateNamespace(request)
            kinds = Calls(channel).kinds()
            await kinds["WriteDocument"][1](prose(100_000))
            for rpc in only or kinds:
                limit, call = kinds[rpc]
                for name, make in TEXTS.items():
                    text = make(int(limit * size)).encode()[:limit].decode(errors="ignore")
                    rows.append(
                        await _measure_uploads(running, others, (rpc, name), partial(call, text))
                    )
                    tell(rows[-1])
    return rows


def _without_workers(running: RunningStack) -> list[ProcessSpec]:
    """Describe the services only: embedding a megabyte takes minutes, and would slow the calls that follow."""
    return [spec for spec in service_specs(running) if spec.address]


async def _measure_uploads(
    running: RunningStack,
    others: grpc.aio.Channel,
    names: tuple[str, str],
    call: Callable[[], Awaitable[object]],
) -> Row:
    process = psutil.Process(next(e.pid for e in running.processes if e.name == "ingest"))
    address = running.addresses["ingest"]
    health = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "fuzz.health", address, stdin=PIPE, stdout=PIPE
    )
    assert health.stdout is not None
    await health.stdout.readline()
    appends, peak = [0.0], [process.memory_info().rss]
    beside = asyncio.create_task(_append_beside(others, process, appends, peak))
    used, begun, answer = _cpu_s(process), time.perf_counter(), "OK"
    try:
        await call()
    except grpc.aio.AioRpcError as error:
        answer = error.code().name
    seconds, cpu_s = time.perf_counter() - begun, _cpu_s(process) - used
    beside.cancel()
    answered, _ = await health.communicate(b"")
    took = json.loads(answered.splitlines()[-1])[address]
    grown = (max(peak) - peak[0]) // MIB
    late = quantiles([*took, *took], n=20)[-1]
    others_ms = round(1000 * late, 1), round(1000 * max(appends), 1)
    return Row(*names, answer, round(seconds, 2), round(cpu_s, 2), grown, *others_ms)


async def _append_beside(
    channel: grpc.aio.Channel, process: psutil.Process, took: list[float], memory: list[int]
) -> None:
    number = 0
    while True:
        begun = time.perf_counter()
        request = append_request(f"Tide {number}.", session_key=f"s{number % 50}")
        await IngestServiceStub(channel).AppendMessages(request, metadata=OTHER)
        took.append(time.perf_counter() - begun)
        memory.append(process.memory_info().rss)
        number += 1
        await asyncio.sleep(0.02)


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def main() -> None:
    options = argparse.ArgumentParser(prog="floods.documents", description=__doc__)
    options.add_argument("--only", action="append", default=[], help="an RPC; all if absent")
    options.add_argument("--size", type=float, default=1.0, help="share of the largest size")
    options.add_argument("--json", type=Path, help="file to write the rows to")
    given = options.parse_args()
    table = Table("RPC", "text", "answer", "s", "CPU s", "MiB", "health ms", "append ms", "over")

    def tell(row: Row) -> None:
        over = ", ".join(row.faults())
        table.add_row(*map(str, asdict(row).values()), over)
        print(*asdict(row).values(), over, flush=True)

    rows = asyncio.run(run(given.only, given.size, tell))
    Console().print(table)
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    sys.exit(1 if any(row.faults() for row in rows) else 0)


if __name__ == "__main__":
    main()
