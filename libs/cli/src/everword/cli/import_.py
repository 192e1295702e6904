"""`everword import`: read conversations in from files."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from everword.cli.output import json_option, note, print_table, progress
from everword.cli.session import remote
from everword.client import CallError, Client
from everword.importing import ImportSummary, import_messages
from everword.transcripts import TranscriptError, count_messages, read_transcript


@dataclass(frozen=True)
class ImportedFile:
    """The outcome of importing one file."""

    path: Path
    summary: ImportSummary

    def to_json(self) -> dict[str, Any]:
        return {
            "file": str(self.path),
            "conversations": len(self.summary.conversations),
            "messages_written": self.summary.messages_written,
            "messages_existing": self.summary.messages_existing,
            "consistency_token": self.summary.consistency_token,
        }


@click.command("import")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@json_option
@remote
async def import_(client: Client, files: tuple[Path, ...], as_json: bool) -> None:
    """Import conversations from FILES.

    A .json file holds conversations in the format everword-bench/1; any other file is JSONL, a
    message a line: content, role, session_key, and whatever else a message and its conversation
    have. Importing a file again adds what is new in it.

    Both may hold chats as OpenAI's API has them instead, which are told by their shape: an object
    with `messages` (a list of such objects in .json, one a line in JSONL), or the messages alone.
    A tool call and the tool message under its id become one message. A chat may say session_key,
    agent, channel, subject and title beside its messages, and when it was as `created`; without a
    session_key or id it is called after the file.
    """
    imported: list[ImportedFile] = []
    try:
        for path in files:
            summary = await _import_file(client, path)
            imported.append(ImportedFile(path, summary))
    except TranscriptError as error:
        _note_resumable()
        raise click.ClickException(str(error)) from error
    except (CallError, asyncio.CancelledError):
        _note_resumable()
        raise
    if as_json:
        click.echo(json.dumps({"files": [each.to_json() for each in imported]}, indent=2))
        return
    rows = [tuple(each.to_json().values())[:4] for each in imported]
    columns = ("file", "conversations", "new", "there before")
    print_table(columns, rows, right="conversations new")


async def _import_file(client: Client, path: Path) -> ImportSummary:
    with progress() as display:
        task = display.add_task(path.name, total=count_messages(path))

        def advance(summary: ImportSummary) -> None:
            display.update(task, completed=summary.messages)

        return await import_messages(client, read_transcript(path), advance)


def _note_resumable() -> None:
    note("What was imported stays. Run the same command again to go on; nothing is stored twice.")
