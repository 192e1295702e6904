"""`everword lore import`: imports a lorebook from a file, without the settings that Everword does not have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from everword.cli.lore.book_keys import book_key
from everword.cli.lore.files import LoreFile, NoLorebook, read_lore
from everword.cli.notes import scope_options
from everword.cli.output import SOME_SKIPPED, json_option, line, note, printable, to_document
from everword.cli.session import remote
from everword.client import CallError, Client
from everword.transcripts import MARK_ERRORS
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb

#: The trigger, and the entry, that a violation names.
_TRIGGER = re.compile(r"entries\[(\d+)\]\.triggers\[(\d+)\](?:\.\w+)?")
_ENTRY = re.compile(r"entries\[(\d+)\](?:\.\w+)?")
#: Stands for the number of a trigger where an entry is refused as a whole.
_WHOLE = -1


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", default="", help="Set the name of the book; the file's name by default.")
@scope_options
@json_option
@remote
async def import_(
    client: Client,
    file: Path,
    name: str,
    agent: str,
    subject: str,
    conversation: str,
    as_json: bool,
) -> None:
    """Import the lorebook in FILE, and replace all entries of an existing book.

    FILE is World Info of SillyTavern, a character card with a book, a lorebook of RisuAI, NovelAI or
    Agnai, or JSON of ImportLoreBookRequest. Unsupported settings are skipped and listed.
    The exit status is 3 if an entry was skipped.
    """
    read = read_file(file)
    key = book_key(name or read.name or file.stem, agent, subject, conversation)
    book = lore_pb2.NewLoreBook(name=key.name, scope=key.scope, description=read.description)
    left_out = list(read.left_out)
    request = pb.ImportLoreBookRequest(book=book, entries=read.entries)
    response = await import_book(client, request, left_out)
    skipped = read.skipped + len(read.entries) - len(request.entries)
    for each in left_out:
        note(printable(f"left out: {' '.join(each.splitlines())}"))
    if as_json:
        document = {**to_document(response), "left_out": left_out}
        click.echo(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        counts = f"{response.written} written, {response.unchanged} unchanged, {response.deleted} deleted"
        line(f"{key.name}: {counts}")
    if skipped:
        click.get_current_context().exit(SOME_SKIPPED)


async def import_book(
    client: Client, request: pb.ImportLoreBookRequest, left_out: list[str]
) -> pb.ImportLoreBookResponse:
    """Import a book without the triggers and entries that the server refuses, such as patterns that cost too much.

    Removes these from `request`, and adds them to `left_out`. Raises CallError.
    """
    while True:
        try:
            return await client.lore_service.ImportLoreBook(request)
        except CallError as error:
            refused = dict[tuple[int, int], str]()
            for path, rule in error.violations:
                if match := _TRIGGER.fullmatch(path):
                    refused[int(match[1]), int(match[2])] = rule
                elif match := _ENTRY.fullmatch(path):
                    refused[int(match[1]), _WHOLE] = rule
                else:
                    raise
            if not refused:
                raise
            for (place, number), rule in sorted(refused.items(), reverse=True):
                entry = request.entries[place]
                if number == _WHOLE:
                    left_out.append(f"{entry.title or f'Entry {place + 1}'}: {rule}")
                    del request.entries[place]
                else:
                    key = entry.triggers.pop(number).text
                    left_out.append(f"{entry.title}: the key {key!r}: {rule}")


def read_file(file: Path) -> LoreFile:
    """Return the lorebook in a file. Raises click.BadParameter."""
    try:
        # If an entry is not UTF-8, only this entry is skipped.
        return read_lore(file.read_text(encoding="utf-8-sig", errors=MARK_ERRORS))
    except NoLorebook as error:
        raise click.BadParameter(f"{file} is not a lorebook: {error}", param_hint="FILE") from error
