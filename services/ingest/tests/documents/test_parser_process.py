"""A file is read in a process of its own: it may end that process, and nothing else."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest
import uvloop

from everword_ingest.documents.parsing import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Section,
    Unreadable,
    parse_document,
    process,
    worker,
)
from everword_ingest.documents.parsing.wire import UnreadableReply, pack, unpack
from support import files
from support.waits import until

LIMITS = ParseLimits()
#: Takes the parser some seconds.
SLOW = b"<html>" + b"<b>x</b>\n" * 900_000


def parsers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # it may end meanwhile
            runs = child.status() != psutil.STATUS_ZOMBIE
            if runs and any("parsing.worker" in each for each in child.cmdline()):
                found.append(child)
    return found


async def started() -> psutil.Process:
    """Return the parser once it has begun to read."""
    await until(lambda: any(parser.cpu_times().user > 0.3 for parser in parsers()))
    [parser] = parsers()
    return parser


async def refused(limits: ParseLimits, data: bytes = SLOW) -> DocumentUnreadable:
    with pytest.raises(DocumentUnreadable) as caught:
        await parse_document(data, "a.html", None, limits)
    assert parsers() == []
    return caught.value


async def test_parser_is_limited_in_wall_and_cpu_time() -> None:
    began = time.monotonic()
    assert (await refused(replace(LIMITS, wall_s=0.3))).reason is Unreadable.TIMED_OUT
    assert time.monotonic() - began < 5
    assert (await refused(replace(LIMITS, cpu_s=1))).reason is Unreadable.TIMED_OUT


@pytest.mark.parametrize("megabytes", [24, 43, *range(62, 69), 80, 90])
async def test_file_over_the_memory_limit_is_refused_and_never_truncated(
    megabytes: int,
) -> None:
    """Out of memory, libxml2 ended some pages as if they had ended, and their rest was lost."""
    error = await refused(replace(LIMITS, memory_bytes=megabytes * 1024 * 1024))
    assert error.reason is Unreadable.TOO_LARGE


@pytest.mark.parametrize(
    ("name", "data", "megabytes"),
    [
        ("a.pdf", files.pdf([[(11, f"line {n}") for n in range(50)]] * 50), 55),
        ("a.xlsx", files.xlsx(), 60),
        ("a.docx", files.docx(), 60),
        ("a.pptx", files.pptx(), 60),
    ],
)
async def test_out_of_memory_in_any_format_is_reported_as_too_large(
    name: str, data: bytes, megabytes: int
) -> None:
    limits = replace(LIMITS, memory_bytes=megabytes * 1024 * 1024)
    with pytest.raises(DocumentUnreadable) as caught:
        await parse_document(data, name, None, limits)
    assert caught.value.reason is Unreadable.TOO_LARGE


async def test_killed_parser_raises_an_error_and_the_next_file_is_read() -> None:
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT):
        task = asyncio.create_task(refused(LIMITS))
        (await started()).send_signal(number)
        error = await task
        assert error.reason in (Unreadable.TOO_LARGE, Unreadable.MALFORMED)
    assert (await parse_document(b"next", "a.txt", None)).text == "next"


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ("raise SystemExit(1)", Unreadable.MALFORMED),
        ("worker.answer_request = lambda: bytes(1 << 60); worker.main()", Unreadable.TOO_LARGE),
        ("worker._used_up = lambda: bytes(1 << 60); worker.main()", Unreadable.TOO_LARGE),
    ],
)
async def test_only_memory_exhaustion_is_reported_as_too_large(
    ending: str, reason: Unreadable, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"from {worker.__name__.rpartition('.')[0]} import worker; {ending}"
    monkeypatch.setattr(process, "_WORKER", (sys.executable, "-I", "-c", script))
    with pytest.raises(DocumentUnreadable) as caught:
        await parse_document(b"%PDF-1.7 damaged", "a.pdf", None)
    assert caught.value.reason is reason


async def test_cancellation_ends_the_parser_process() -> None:
    task = asyncio.create_task(parse_document(SLOW, "a.html", None))
    await started()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert parsers() == []


async def test_parser_process_does_not_block_the_loop_and_has_no_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVERWORD_ADMIN_KEY", "open sesame")
    task = asyncio.create_task(parse_document(SLOW, "a.html", None))
    parser = await started()
    assert set(parser.environ()) <= {"PATH", "LD_LIBRARY_PATH"}
    assert parser.cwd() == "/"
    assert parser.rlimit(psutil.RLIMIT_AS) == (
        LIMITS.memory_bytes - 16 * 1024 * 1024,
        LIMITS.memory_bytes,
    )
    assert parser.rlimit(psutil.RLIMIT_FSIZE) == (0, 0)
    assert parser.num_fds() <= 5
    lags = []
    while not task.done():
        began = time.monotonic()
        await asyncio.sleep(0.005)
        lags.append(time.monotonic() - began)
    assert len((await task).text) > 1_000_000
    # Read here, it would be held up for all of it.
    assert len(lags) > 20
    assert max(lags) < sum(lags) / 2


async def test_at_most_two_files_are_parsed_at_once() -> None:
    tasks = [asyncio.create_task(parse_document(b"words %d" % n, "a", None)) for n in range(8)]
    most = 0
    while not all(task.done() for task in tasks):
        most = max(most, len(parsers()))
        await asyncio.sleep(0.005)
    assert [(await task).text for task in tasks] == [f"words {n}" for n in range(8)]
    assert 1 <= most <= 2


def test_parse_document_works_on_uvloop() -> None:
    assert uvloop.run(parse_document(b"# a\n\nwords", "a.md", None)).title == "a"


def test_parsing_module_does_not_import_format_libraries() -> None:
    script = "import sys, everword_ingest.documents.parsing as p; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    roots = {name.split(".")[0] for name in loaded.stdout.split()}
    assert not roots & {"lxml", "openpyxl", "pptx", "mammoth", "pypdfium2", "charset_normalizer"}
    assert "asyncio" in roots


def test_parser_process_ends_after_its_time_limit_without_its_parent() -> None:
    command = [sys.executable, "-I", "-m", "everword_ingest.documents.parsing.worker"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/")
    assert worker.stdin is not None
    limits = {**vars(ParseLimits()), "wall_s": 0.2}
    head = {"file_name": "a.txt", "media_type": None, "limits": limits}
    worker.stdin.write(json.dumps(head).encode() + b"\n")
    worker.stdin.flush()
    # It is never told that the file has ended.
    assert worker.wait(20) == -signal.SIGALRM
    worker.stdin.close()
    assert worker.stdout is not None
    worker.stdout.close()


def packed() -> bytes:
    sections = (Section(("A", "B"), "words", None, 5), Section((), "é!", 2, 12))
    return pack(ParsedDocument(None, "text/plain", "# B\n\nwords\n\né!", sections))


def test_unpack_validates_the_output_of_the_parser_process() -> None:
    parsed = unpack(packed(), LIMITS)
    assert [section.text for section in parsed.sections] == ["words", "é!"]
    head, _, text = packed().partition(b"\n")
    right = json.loads(head)
    lies: list[dict[str, object]] = [
        {"media_type": "application/x-evil"},
        {"title": 5},
        {"sections": []},
        {"sections": [[0, 0, 99, None]]},
        {"sections": [[0, -1, 3, None]]},
        {"sections": [[7, 0, 3, None]]},
        {"sections": [[0, 0, 3, None], [0, 2, 3, None]]},
        {"sections": [[0, 0]]},
        {"sections": {"a": 1}},
        {"reason": "NONE SUCH", "detail": ""},
    ]
    for lie in lies:
        with pytest.raises(UnreadableReply):
            unpack(json.dumps({**right, **lie}).encode() + b"\n" + text, LIMITS)
    chosen = random.Random(1)
    for _ in range(2000):
        garbled = bytearray(packed())
        for _ in range(chosen.randint(1, 4)):
            garbled[chosen.randrange(len(garbled))] = chosen.randrange(256)
        try:
            unpack(bytes(garbled), LIMITS)
        except (UnreadableReply, DocumentUnreadable):
            continue
