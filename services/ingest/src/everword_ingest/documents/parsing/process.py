"""Reads a file in a process of its own, which may use only so much and is the only thing that a file can end."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from dataclasses import asdict
from weakref import WeakKeyDictionary

from everword_ingest.documents.parsing.model import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Unreadable,
)
from everword_ingest.documents.parsing.wire import OUT_OF_MEMORY_CODE, UnreadableReply, unpack

log = logging.getLogger(__name__)

_DEFAULT = ParseLimits()
#: Processes that parse at once; other callers wait. Texts, which take less than a second, have a separate queue, so
#: that they do not wait for files, which may take a minute.
_AT_ONCE = 2
_Turns = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]
_FILE_TURNS, _TEXT_TURNS = _Turns(), _Turns()
_WORKER = (sys.executable, "-I", "-m", "everword_ingest.documents.parsing.worker")
#: Variables that an interpreter may need to start. The rest of the environment holds secrets.
_NEEDED = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
#: Size of an answer without its text: some hundred bytes a section.
_HEAD_BYTES = 16 * 1024 * 1024
_TIME_SIGNALS = (-signal.SIGALRM, -signal.SIGXCPU)
#: Exit codes for exhausted memory: the system kills the process, or a library aborts.
_MEMORY_ENDS = (OUT_OF_MEMORY_CODE, -signal.SIGKILL, -signal.SIGABRT)


async def parse_document(
    data: bytes, file_name: str, media_type: str | None, limits: ParseLimits = _DEFAULT
) -> ParsedDocument:
    """Return a file as text. The event loop stays free; cancelling kills the process.

    If `media_type` is None or `application/octet-stream`, the type is detected by the content and the name. Raises
    DocumentUnreadable.
    """
    if len(data) > limits.max_file_bytes:
        limit = limits.max_file_bytes / (1024 * 1024)
        raise DocumentUnreadable(
            Unreadable.TOO_LARGE, f"The file is over the limit of {limit:g} MiB."
        )
    request = {"file_name": file_name, "media_type": media_type, "limits": asdict(limits)}
    return await _parse(request, data, limits, _FILE_TURNS)


async def parse_text(text: str, limits: ParseLimits = _DEFAULT) -> ParsedDocument:
    """Return a text with its headings, always parsed as Markdown. Raises DocumentUnreadable."""
    request = {"is_text": True, "limits": asdict(limits)}
    return await _parse(request, text.encode(), limits, _TEXT_TURNS)


async def _parse(
    request: Mapping[str, object], data: bytes, limits: ParseLimits, turns: _Turns
) -> ParsedDocument:
    # The parser's process imports this module, and has no event loop.
    from everword.rpc.long_work import LONG_BYTES, run_in_thread

    loop = asyncio.get_running_loop()
    async with turns.setdefault(loop, asyncio.Semaphore(_AT_ONCE)):
        code, answer = await _run(json.dumps(request).encode() + b"\n", data, limits)
    if code == 0:
        try:
            if len(answer) <= LONG_BYTES:
                return unpack(answer, limits)
            return await run_in_thread(unpack, answer, limits)
        except UnreadableReply:
            pass
    raise _ended(code)


async def _run(request: bytes, data: bytes, limits: ParseLimits) -> tuple[int, bytes]:
    """Return the exit code and output of the process. Raises DocumentUnreadable on a timeout."""
    process = await asyncio.create_subprocess_exec(
        *_WORKER, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=_environment(os.environ), cwd="/"
    )
    try:
        async with asyncio.timeout(limits.wall_s):
            _, answer = await asyncio.gather(
                _send(process, request, data),
                _receive(process, _HEAD_BYTES + limits.max_text_bytes),
            )
            return await process.wait(), answer
    except TimeoutError:
        raise _timed_out() from None
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: environment[name] for name in _NEEDED if name in environment}


async def _send(process: Process, request: bytes, data: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(request)
        process.stdin.write(data)
        await process.stdin.drain()
    # It ended before it had read all.
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        process.stdin.close()


async def _receive(process: Process, limit: int) -> bytes:
    """Return the output of the process; empty, and so unreadable, if it exceeds the limit."""
    assert process.stdout is not None
    answer = bytearray()
    while batch := await process.stdout.read(1024 * 1024):
        if len(answer) + len(batch) > limit:
            process.kill()
            return b""
        answer += batch
    return bytes(answer)


def _ended(code: int) -> DocumentUnreadable:
    """Return the error for a process that gave no answer."""
    log.warning("document.parser_ended", extra={"exit_code": code})
    if code in _TIME_SIGNALS:
        return _timed_out()
    if code in _MEMORY_ENDS:
        return DocumentUnreadable(Unreadable.TOO_LARGE, "Reading the file takes too much memory.")
    return DocumentUnreadable(Unreadable.MALFORMED, "The file is damaged: reading it failed.")


def _timed_out() -> DocumentUnreadable:
    return DocumentUnreadable(Unreadable.TIMED_OUT, "Reading the file took too long.")
