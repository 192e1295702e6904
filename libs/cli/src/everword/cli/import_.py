"""`everword import`: read memories in from files, and from other memories."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

import click

from everword.cli.output import json_option, line, note, print_table, progress
from everword.cli.session import remote
from everword.client import CallError, Client
from everword.formats import (
    ADDRESSES,
    FORMATS,
    Preview,
    Reading,
    Record,
    belonging,
    open_reading,
    preview_records,
)
from everword.importing import ImportSummary, import_records
from everword.transcripts import TranscriptError

#: After so many records the display moves.
_SHOWN_EVERY = 100


class Source(click.Path):
    """A file that is there, or the address of a database."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_address = str(value).startswith(ADDRESSES)
        return value if is_address else super().convert(value, param, ctx)


@dataclass(frozen=True)
class Outcome:
    """What became of a file, or would."""

    reading: Reading
    found: ImportSummary | Preview

    @property
    def skipped(self) -> dict[str, int]:
        """How much was left out, by why, the most first."""
        return {why: count for why, count in self.reading.meter.skipped.most_common() if count}

    def to_json(self) -> dict[str, Any]:
        found = self.found
        shared: dict[str, Any] = {"file": self.reading.source, "format": self.reading.format}
        shared["conversations"] = len(found.conversations)
        counts = {name: value for name, value in vars(found).items() if name != "conversations"}
        return {
            **shared,
            **{name: _plain(value) for name, value in counts.items()},
            "skipped": self.skipped,
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
    "sources", nargs=-1, required=True, metavar="FILE...", type=Source(exists=True, dir_okay=False)
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="What wrote the files. Told from what is in each, if not given.",
)
@click.option("--agent", default="", help="Whose memories they are, where a file does not say.")
@click.option("--subject", default="", help="The user they are about, where a file does not say.")
@click.option("--dry-run", is_flag=True, help="Say what would be imported, and store nothing.")
@json_option
@remote
async def import_(
    client: Client,
    sources: tuple[str, ...],
    format_: str | None,
    agent: str,
    subject: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import conversations, notes and documents from FILEs.

    A file, or the zip that an export comes in, may be of ChatGPT, Claude, Gemini, mem0, Letta,
    Hindsight, LangGraph or Ryvos; RivetOS is read from its database, at postgresql://…. Everword's
    own are everword-bench/1 in a .json file, and any other file is JSONL, a message a line:
    content, role, session_key, and whatever else a message and its conversation have.

    Both may hold chats as OpenAI's API has them instead: an object with `messages`, a list of such
    objects, one a line, or the messages alone. A tool call and the tool message under its id become
    one message. A chat may say session_key, agent, channel, subject and title beside its messages,
    and when it was as `created`; without a session_key or id it is called after the file.

    Importing again adds what is new. docs/importing.md says what becomes of what.
    """
    outcomes: list[Outcome] = []
    try:
        for source in sources:
            reading = open_reading(source, format_ or "")
            outcomes.append(await _import(client, reading, agent, subject, dry_run))
    except TranscriptError as error:
        if not dry_run:
            _note_resumable()
        raise click.ClickException(str(error)) from error
    except (CallError, asyncio.CancelledError):
        _note_resumable()
        raise
    if as_json:
        files = [each.to_json() for each in outcomes]
        click.echo(json.dumps({"files": files}, ensure_ascii=False, indent=2))
        return
    _print(outcomes, dry_run)


async def _import(
    client: Client, reading: Reading, agent: str, subject: str, dry_run: bool
) -> Outcome:
    with progress(counted=False) as display:
        task = display.add_task(PurePath(reading.source).name, total=None)

        def shown() -> Iterator[Record]:
            meter = reading.meter
            for number, record in enumerate(belonging(reading.records, agent, subject)):
                if number % _SHOWN_EVERY == 0:
                    display.update(task, total=meter.total, completed=min(meter.done, meter.total))
                yield record
            display.update(task, total=meter.total, completed=meter.total)

        if dry_run:
            return Outcome(reading, preview_records(shown()))
        return Outcome(reading, await import_records(client, shown()))


def _print(outcomes: list[Outcome], dry_run: bool) -> None:
    counts = ("conversations", "messages", "notes", "documents")
    last = ("first", "last") if dry_run else ("there before",)
    rows = [each.to_row() for each in outcomes]
    print_table(("file", "format", *counts, *last), rows, right=" ".join(counts))
    for each in outcomes:
        if each.skipped:
            told = ", ".join(f"{count} {why}" for why, count in each.skipped.items())
            line(f"{each.reading.source}: left out {told}")


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""


def _note_resumable() -> None:
    note("What was imported stays. Run the same command again to go on; nothing is stored twice.")
