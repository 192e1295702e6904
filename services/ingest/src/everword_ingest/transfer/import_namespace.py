"""Make a namespace from a file that ExportNamespace wrote."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection, Database
from everword.domain.errors import (
    ConcurrentUpdate,
    ContentErased,
    InvalidArgument,
    NamespaceAlreadyExists,
)
from everword.domain.tokens import ConsistencyToken
from everword.jobs.enqueue import EMBED, DueJob, enqueue, shards
from everword_ingest.namespaces.namespaces import SETTINGS, check_settings
from everword_ingest.namespaces.store import insert_tenant
from everword_ingest.transfer import store
from everword_ingest.transfer.batch import SESSION_QUIET_S, WRONG, Batch, explain
from everword_ingest.transfer.lines import (
    NAMESPACE,
    TIME,
    LineDigest,
    check_end,
    check_header,
    is_end,
    read_lines,
    read_record,
)
from everword_ingest.transfer.store import ImportTargetRow, ProgressRow

#: Fields of the namespace in the second line.
FIELDS = SETTINGS | {"erasure_salt", "created_at"}
#: Settings that an older file does not have.
_DEFAULTS: dict[str, Any] = {
    each.name: each.default for each in fields(NamespaceSettings) if each.default is not MISSING
}
#: Required and optional fields of a channel's policy in a file.
_POLICY = {"index", "roll_up", "digest"}
_LATER_POLICY = {"untrusted", "quarantine", "learn", "summarize"}
_NEEDED = FIELDS - set(_DEFAULTS)


@dataclass(frozen=True)
class NamespaceImport:
    """The result of an import."""

    records: int
    #: How many of them were stored before.
    existing: int
    consistency_token: ConsistencyToken


async def import_namespace(
    database: Database, name: str, parts: AsyncIterator[bytes], wake: Callable[[], None]
) -> NamespaceImport:
    """Store the records of a file, batch by batch; records stored by an earlier call are read and compared.

    Raises InvalidArgument, NamespaceAlreadyExists, ContentErased, ConcurrentUpdate and RequestTooLarge.
    """
    lines = read_lines(parts)
    digest = LineDigest()
    first = await anext(lines, b"")
    check_header(first)
    digest.add(first)
    target, progress = await _begin(database, name, await anext(lines, None), digest)
    writing = _ImportWriter(database, name, target.id, progress, digest)
    writing.compare()
    last = await writing.read(lines)
    if last is None:
        await writing.store()
        raise InvalidArgument(_CUT)
    check_end(last, digest)
    if await anext(lines, None) is not None:
        raise InvalidArgument("The file continues after its last record.")
    if digest.lines < progress.lines:
        raise _of_another_file(name)
    await writing.store()
    # Without other stored records, the namespace was created by this call.
    existing = progress.lines - 1 if progress.lines > 2 else 0
    token = await _finish(database, target.id, digest, wake)
    return NamespaceImport(digest.records, existing, token)


_CUT = (
    "The file is cut off: it ends before its last line. The imported part is kept; import the whole file to "
    "continue, or delete the namespace."
)


class _ImportWriter:
    """The way of a file's lines into a namespace."""

    def __init__(
        self, database: Database, name: str, id_: int, progress: ProgressRow, digest: LineDigest
    ) -> None:
        self._database = database
        self._name = name
        self._id = id_
        self._progress = progress
        self._tally = digest
        self._stored = progress.lines
        self._batch = Batch()

    async def read(self, lines: AsyncIterator[bytes]) -> bytes | None:
        """Store the records among the lines, and return the last line; None where the file ends before it."""
        async with self._database.connection() as conn:
            known = frozenset(await store.list_records(conn))
        async for line in lines:
            if is_end(line):
                return line
            number = self._tally.lines + 1
            if number > self._progress.lines:
                await self._take(line, number, known)
            self._tally.add(line)
            self.compare()
            if self._batch.full:
                await self.store()
        return None

    async def _take(self, line: bytes, number: int, known: frozenset[str]) -> None:
        if self._progress.finished:
            raise _of_another_file(self._name)
        try:
            record, row = read_record(line, number)
            if record not in known:
                text = f"Line {number} of the file is a {record}, which this version of Everword does not know."
                raise InvalidArgument(text)
        except InvalidArgument:
            await self.store()
            raise
        self._batch.add(record, row, number)

    def compare(self) -> None:
        """Raise NamespaceAlreadyExists if the stored records came from another file."""
        if (
            self._tally.lines == self._progress.lines
            and self._tally.digest != self._progress.digest
        ):
            raise _of_another_file(self._name)

    async def store(self) -> None:
        """Store the batch and the progress in one transaction."""
        if not self._batch.records:
            return
        async with self._database.transaction(self._id) as conn:
            if not await store.advance_import(
                conn, self._stored, self._tally.lines, self._tally.digest
            ):
                raise _concurrent_import()
            await self._batch.store(conn)
            if self._batch.goes_on:
                _refuse_erased(await store.newer_erasure(conn))
        self._stored = self._tally.lines
        self._batch = Batch()


async def _begin(
    database: Database, name: str, line: bytes | None, digest: LineDigest
) -> tuple[ImportTargetRow, ProgressRow]:
    """Make the namespace that the second line describes, unless an import made it before; return how far that is."""
    if line is None:
        raise InvalidArgument(_CUT)
    settings = _settings(line)
    digest.add(line)
    async with database.connection() as conn:
        target = await store.find_target(conn, name)
        if target is None:
            await _check(conn, settings)
            target = await _insert(conn, name, settings)
    if target is None or target.state == "deleting":
        raise NamespaceAlreadyExists(
            "The namespace of this name was just created, or is being deleted.", namespace=name
        )
    async with database.transaction(target.id) as conn:
        if target.state == "importing":
            await store.begin_import(conn, target.id, digest.lines, digest.digest)
            await insert_tenant(conn, target.id)
        progress = await store.lock_import(conn, target.id)
    if progress is None:
        raise NamespaceAlreadyExists(
            "The namespace exists already, and an import creates a new one; choose another name.",
            namespace=name,
        )
    return target, progress


def _settings(line: bytes) -> dict[str, Any]:
    """Return the settings of the namespace in the second line. Raises InvalidArgument."""
    record, row = read_record(line, 2)
    try:
        given = json.loads(row)
    except (ValueError, RecursionError):
        given = None
    if record != NAMESPACE or not isinstance(given, dict) or not set(given) >= _NEEDED:
        raise InvalidArgument("Line 2 of the file does not describe a namespace of this format.")
    if unknown := sorted(set(given) - FIELDS):
        text = f"Line 2 of the file: this version of Everword does not know its field {unknown[0]}."
        raise InvalidArgument(text)
    return _DEFAULTS | given


async def _check(conn: Connection, settings: dict[str, Any]) -> None:
    zone, made = settings["time_zone"], settings["created_at"]
    if not (
        isinstance(zone, str)
        and _are_policies(settings["channel_policies"])
        and isinstance(made, str)
        and re.search(TIME, made)
    ):
        raise InvalidArgument("Line 2 of the file does not describe a namespace of this format.")
    given = NamespaceSettings(**{name: settings[name] for name in SETTINGS})
    await check_settings(conn, given, SETTINGS)


def _are_policies(policies: Any) -> bool:
    return isinstance(policies, dict) and all(
        isinstance(each, dict)
        and set(each) >= _POLICY
        and set(each) <= _POLICY | _LATER_POLICY
        and all(isinstance(value, bool) for value in each.values())
        for each in policies.values()
    )


async def _insert(conn: Connection, name: str, settings: dict[str, Any]) -> ImportTargetRow | None:
    try:
        return await store.insert_target(conn, name, json.dumps(settings))
    except WRONG as error:
        raise InvalidArgument(f"Line 2 of the file: {explain(error)}.") from error


def _of_another_file(name: str) -> NamespaceAlreadyExists:
    return NamespaceAlreadyExists(
        "The namespace was partly imported from another file; import that file again, or delete the namespace.",
        namespace=name,
    )


def _concurrent_import() -> ConcurrentUpdate:
    return ConcurrentUpdate(
        "Another call is importing into this namespace; wait until it has ended."
    )


def _refuse_erased(other: str | None) -> None:
    """Raise ContentErased if something was erased from `other`, a copy of the namespace, since the file was written."""
    if other is not None:
        raise ContentErased(
            f"The file may contain data that was erased from the namespace {other}, a copy of the exported one. Export "
            f"{other} instead, or repeat the erasure in the exported one and export it again. DeleteNamespace removes "
            "the unfinished import.",
            namespace=other,
        )


async def _finish(
    database: Database, id_: int, digest: LineDigest, wake: Callable[[], None]
) -> ConsistencyToken:
    """Let callers reach the namespace, and make its background work due, unless that was done before."""
    async with database.write(id_) as write:
        # Its role is not the caller's, so nodes of a distributed database refuse it after the caller's writes.
        other = await store.newer_erasure(write.conn)
        held = await store.lock_import(write.conn, id_)
        if held is None or held.lines != digest.lines:
            raise _concurrent_import()
        highest = await store.highest_passage(write.conn, id_)
        if not held.finished:
            _refuse_erased(other)
            now = await store.read_now(write.conn)
            waiting = await store.list_jobs(write.conn, id_, SESSION_QUIET_S, now)
            due = [DueJob(id_, job.task, job.subject, job.delay_s) for job in waiting]
            await enqueue(write.conn, [*due, *(DueJob(id_, EMBED, each) for each in shards())])
            await store.open_namespace(write.conn, id_)
            await store.end_import(write.conn, id_)
    wake()
    return ConsistencyToken(id_, write.position, highest)
