"""`everword namespaces export` and `import`: a namespace as a file, and a file as a namespace."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import click

from everword.cli.output import json_option, line, note, print_json, progress
from everword.cli.session import remote
from everword.client import CallError, Client
from everword.v1 import admin_service_pb2 as pb

#: As long as a call may take at all.
_TIMEOUT_S = 3600.0
_PART_BYTES = 500_000


@click.command("export")
@click.argument("name")
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
@remote
async def export_(client: Client, name: str, output: Path | None) -> None:
    """Export all data of a namespace as JSON lines.

    An interrupted export leaves no file.
    """
    if output is None:
        await _receive(client, name, sys.stdout.buffer)
        return
    partial = output.with_name(f"{output.name}.part")
    try:
        with partial.open("wb") as file:
            await _receive(client, name, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
    note(f"{name} is in {output}")


async def _receive(client: Client, name: str, file: BinaryIO) -> None:
    call = client.admin_service.ExportNamespace(
        pb.ExportNamespaceRequest(name=name), timeout=_TIMEOUT_S
    )
    with progress() as display:
        task = display.add_task("records", total=None, visible=file is not sys.stdout.buffer)
        async for part in call:
            file.write(part.data)
            display.advance(task, part.data.count(b"\n"))


@click.command("import")
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@remote
async def import_(client: Client, name: str, file: Path, as_json: bool) -> None:
    """Create a namespace from a FILE of `namespaces export`.

    Run the same command again to continue an interrupted import.
    """
    try:
        response = await _send(client, name, file)
    except CallError as error:
        if error.is_unanswered:
            note("Imported records stay. Run the same command again to continue.")
        raise
    if as_json:
        print_json(response)
        return
    before = response.records_existing
    line(f"{response.records} records in {name}" + (f", {before} there before" if before else ""))


async def _send(client: Client, name: str, file: Path) -> pb.ImportNamespaceResponse:
    size = await asyncio.to_thread(os.path.getsize, file)
    with progress() as display:
        task = display.add_task(file.name, total=size)

        async def requests() -> AsyncIterator[pb.ImportNamespaceRequest]:
            yield pb.ImportNamespaceRequest(name=name)
            with file.open("rb") as opened:
                while data := opened.read(_PART_BYTES):
                    yield pb.ImportNamespaceRequest(data=data)
                    display.advance(task, len(data))

        return await client.admin_service.ImportNamespace(requests(), timeout=_TIMEOUT_S)
