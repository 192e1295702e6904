"""`everword import`: read memories in from files, and from other memories."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

import click

from everword.cli.output import (
    SOME_SKIPPED,
    json_option,
    line,
    note,
    print_table,
    printable,
    progress,
)
from everword.cli.session import explain, remote
from everword.client import CallError, Client
from everword.formats import (
    ADDRESSES,
    FORMATS,
    Preview,
    Record,
    SourceReader,
    belonging,
    open_reading,
    preview_records,
)
from everword.importer import ImportSummary, import_records
from everword.transcripts import (
    MOST_NAMED,
    Entry,
    RecordError,
    SkippedRecord,
    TranscriptError,
)
from everword.v1.note_service_pb2 import WriteNoteRequest

#: Maximum skipped records in the output; `--json` lists more.
_MAX_DISPLAYED = 10
#: The progress bar is updated after this many records.
_SHOWN_EVERY = 100


class ImportSource(click.Path):
    """A file that is there, or the address of a database."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_address = str(value).startswith(ADDRESSES)
        return value if is_address else super().convert(value, param, ctx)


@dataclass
class Outcome:
    """Result of the import of one file, or its preview."""

    reading: SourceReader
    found: ImportSummary | Preview
    #: Why the rest of the file could not be read; empty if all of it was read.
    error: str = ""

    @property
    def left_out(self) -> dict[str, int]:
        """Number of records that were left out on purpose, by reason, the most frequent first."""
        return {why: count for why, count in self.reading.meter.skipped.most_common() if count}

    @property
    def skipped_records(self) -> list[SkippedRecord]:
        """Records that are malformed, or that the server refused."""
        return self.reading.meter.skipped_records

    def to_json(self) -> dict[str, Any]:
        found, meter = self.found, self.reading.meter
        shared: dict[str, Any] = {"file": self.reading.source, "format": self.reading.format}
        shared["conversations"] = len(found.conversations)
        counts = {name: value for name, value in vars(found).items() if name != "conversations"}
        return {
            **shared,
            **{name: _plain(value) for name, value in counts.items()},
            "skipped": self.left_out,
            "records_skipped": meter.records_skipped,
            "skipped_records": [asdict(each) for each in meter.skipped_records],
            **({"error": self.error} if self.error else {}),
        }

    def to_row(self) -> tuple[Any, ...]:
        found = self.found
        shared = (self.reading.source, self.reading.format, len(found.conversations))
        if isinstance(found, Preview):
            counts = (found.messages, found.notes, found.documents)
            return (*shared, *counts, _day(found.first_time), _day(found.last_time))
        written = (found.messages_written, found.notes_written, found.documents_written)
        return (*shared, *written, found.existing)


@click.command("import")
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=ImportSource(exists=True, dir_okay=False),
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="Set the format of the files; detected from their content by default.",
)
@click.option("--agent", default="", help="Set the agent of items whose file names none.")
@click.option("--subject", default="", help="Set the user of items whose file names none.")
@click.option("--dry-run", is_flag=True, help="Report what would be imported, and store nothing.")
@click.option("--strict", is_flag=True, help="Stop at the first record that cannot be imported.")
@json_option
@remote
async def import_(
    client: Client,
    sources: tuple[str, ...],
    format_: str | None,
    agent: str,
    subject: str,
    dry_run: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Import conversations, notes and documents from FILEs.

    A file, or the zip that an export comes in, may be of ChatGPT, Claude, Gemini, mem0, Letta,
    Hindsight, LangGraph or Ryvos; RivetOS is read from its database, at postgresql://…. Everword's
    own are everword-bench/1 in a .json file, and any other file is JSONL, a message a line:
    content, role, session_key, and whatever else a message and its conversation have.

    Both may hold chats as OpenAI's API has them instead: an object with `messages`, a list of such
    objects, one a line, or the messages alone.

    A malformed record, or one that the server refuses, is skipped and listed; the rest is imported,
    and the exit status is 3. If a file cannot be read to its end, it is 1. Importing again adds new
    records. See docs/importing.md.
    """
    outcomes: list[Outcome] = []
    unopened: list[dict[str, str]] = []
    try:
        for source in sources:
            reading = _open(source, format_ or "", strict, unopened)
            if reading:
                outcomes.append(Outcome(reading, Preview() if dry_run else ImportSummary()))
                records = belonging(reading.records, agent, subject)
                await _import(client, outcomes[-1], records)
            if strict and (unopened or outcomes[-1].error):
                break
    except (CallError, asyncio.CancelledError):
        _name_skipped(outcomes)
        _note_resumable()
        raise
    if as_json:
        files = [*(each.to_json() for each in outcomes), *unopened]
        click.echo(json.dumps({"files": files}, ensure_ascii=False, indent=2))
    elif outcomes:
        _print(outcomes, dry_run)
    _end(outcomes, unopened, dry_run)


def _open(
    source: str, format_: str, strict: bool, unopened: list[dict[str, str]]
) -> SourceReader | None:
    """Open a source for reading; if that fails, add it to `unopened`."""
    try:
        return open_reading(source, format_, strict=strict)
    except TranscriptError as error:
        # A database URL may contain a password.
        name = "" if source.startswith(ADDRESSES) else source
        unopened.append({"file": name, "error": str(error)})
        return None


def _end(outcomes: list[Outcome], unopened: list[dict[str, str]], dry_run: bool) -> None:
    """Print the skipped records, and exit with the status of the import."""
    _name_skipped(outcomes)
    errors = [each.error for each in outcomes if each.error] + [each["error"] for each in unopened]
    if errors:
        if not dry_run:
            _note_resumable()
        for each in errors[:-1]:
            note(_on_one_line(f"Error: {each}"))
        raise click.ClickException(_on_one_line(errors[-1]))
    if any(outcome.reading.meter.records_skipped for outcome in outcomes):
        click.get_current_context().exit(SOME_SKIPPED)


async def _import(client: Client, outcome: Outcome, records: Iterator[Record]) -> None:
    meter = outcome.reading.meter

    def readable() -> Iterator[Record]:
        # Records before an error are imported.
        try:
            yield from records
        except TranscriptError as error:
            outcome.error = str(error)

    def skip(record: Record, error: CallError) -> None:
        # If reading is strict, this raises.
        meter.skip_record(RecordError(_place(record, meter.at), explain(error)))

    with progress(counted=False) as display:
        task = display.add_task(PurePath(outcome.reading.source).name, total=None)

        def shown() -> Iterator[Record]:
            for number, record in enumerate(readable()):
                if number % _SHOWN_EVERY == 0:
                    display.update(task, total=meter.total, completed=min(meter.done, meter.total))
                yield record
            display.update(task, total=meter.total, completed=meter.total)

        if isinstance(outcome.found, Preview):
            outcome.found = preview_records(shown())
            return
        try:
            await import_records(client, shown(), on_refused=skip, summary=outcome.found)
        except RecordError as error:
            outcome.error = str(error)


def _place(record: Record, at: str) -> str:
    """Return the place of a record in its file. `at` is the reader's place, for notes and documents."""
    if isinstance(record, Entry):
        return record.place
    if isinstance(record, WriteNoteRequest):
        return f"{at}, note {record.note.key}"
    return f"{at}, document {record.document.title}"


def _name_skipped(outcomes: list[Outcome]) -> None:
    for each in outcomes:
        meter = each.reading.meter
        for record in meter.skipped_records[:_MAX_DISPLAYED]:
            note(_on_one_line(f"skipped: {record.place}: {record.reason}"))
        more = meter.records_skipped - min(len(meter.skipped_records), _MAX_DISPLAYED)
        if more:
            note(
                f"skipped: {more} more in {each.reading.source}; --json names the first {MOST_NAMED}"
            )


def _on_one_line(text: str) -> str:
    """Return text that is safe for a terminal, since titles and names in a file may contain control characters."""
    return printable(" ".join(text.splitlines()))


def _print(outcomes: list[Outcome], dry_run: bool) -> None:
    counts = ("conversations", "messages", "notes", "documents")
    last = ("first", "last") if dry_run else ("there before",)
    rows = [each.to_row() for each in outcomes]
    print_table(("file", "format", *counts, *last), rows, right=" ".join(counts))
    for each in outcomes:
        if each.left_out:
            told = ", ".join(f"{count} {why}" for why, count in each.left_out.items())
            line(f"{each.reading.source}: left out {told}")
        if count := each.reading.meter.records_skipped:
            line(f"{each.reading.source}: {count} record{'s' if count > 1 else ''} skipped")


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""


def _note_resumable() -> None:
    note("Imported records stay. Run the same command again to continue; nothing is stored twice.")
