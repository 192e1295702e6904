"""`everword checkpoints`: the state of agents, saved and restored."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click
from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct

from everword.cli.files import ensure_writable
from everword.cli.output import json_option, line, note, print_json, print_table, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import list_all
from everword.v1 import ingest_service_pb2 as pb

conversation_argument = click.argument("conversation", type=click.UUID)
name_option = click.option("--name", default="", help="Use the state with this name.")
id_option = click.option(
    "--id", "checkpoint_id", type=click.UUID, help="Select the checkpoint with this id."
)


@click.group()
def checkpoints() -> None:
    """Save and restore the state of an agent in a conversation."""


@checkpoints.command()
@conversation_argument
@click.argument("file", type=click.File("rb"))
@name_option
@click.option("--media-type", default="", help="Set the media type, such as application/json.")
@click.option("--metadata", default="", help="Store this JSON object with it.")
@click.option(
    "--parent", type=click.UUID, help="Set the id of the checkpoint that this one was made from."
)
@click.option(
    "--expect", "expected", type=click.IntRange(0), help="Fail unless this is the current version."
)
@click.option("--keep", type=click.IntRange(1, 100), help="Keep this many versions of the name.")
@click.option("--request-id", default="", help="Make the command safe to repeat.")
@json_option
@remote
async def save(
    client: Client,
    conversation: object,
    file: IO[bytes],
    name: str,
    media_type: str,
    metadata: str,
    parent: object | None,
    expected: int | None,
    keep: int | None,
    request_id: str,
    as_json: bool,
) -> None:
    """Save FILE, or `-` for standard input, as the state of CONVERSATION."""
    request = pb.SaveCheckpointRequest(
        conversation_id=str(conversation),
        name=name,
        state=file.read(),
        media_type=media_type,
        metadata=_metadata(metadata),
        parent_id=str(parent or ""),
        expected_version=expected,
        max_versions=keep or 0,
        request_id=request_id,
    )
    response = await client.ingest_service.SaveCheckpoint(request)
    if as_json:
        print_json(response)
    else:
        line(f"{response.checkpoint_id}: version {response.version}")


@checkpoints.command("list")
@conversation_argument
@click.option("--name", help="Include only this name.")
@click.option(
    "--all", "all_versions", is_flag=True, help="Include all versions, not only the latest."
)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(
    client: Client,
    conversation: object,
    name: str | None,
    all_versions: bool,
    limit: int,
    as_json: bool,
) -> None:
    """List the checkpoints of CONVERSATION, latest first."""
    request = pb.ListCheckpointsRequest(
        conversation_id=str(conversation), name=name, all_versions=all_versions, page_size=limit
    )
    found = await list_all(client.ingest_service.ListCheckpoints, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.id,
            each.name,
            each.version,
            each.media_type,
            each.state_bytes,
            when(each.create_time),
        )
        for each in found.checkpoints
    ]
    print_table(("checkpoint", "name", "version", "type", "bytes", "saved"), rows)


@checkpoints.command()
@click.argument("conversation", type=click.UUID, required=False)
@name_option
@id_option
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file."
)
@remote
async def get(
    client: Client,
    conversation: object | None,
    name: str,
    checkpoint_id: object | None,
    output: Path | None,
) -> None:
    """Write the latest state of CONVERSATION, or the one with --id, to a file or standard output."""
    ensure_writable("--output", output)
    if bool(conversation) == bool(checkpoint_id):
        raise click.UsageError("give a CONVERSATION, or the --id of a checkpoint")
    latest = pb.CheckpointName(conversation_id=str(conversation), name=name)
    request = (
        pb.GetCheckpointRequest(checkpoint_id=str(checkpoint_id))
        if checkpoint_id
        else pb.GetCheckpointRequest(latest=latest)
    )
    response = await client.ingest_service.GetCheckpoint(request)
    with click.open_file(str(output or "-"), "wb") as file:
        file.write(response.state)
    if output:
        note(f"{response.checkpoint.state_bytes} bytes in {output}")


def _metadata(text: str) -> Struct | None:
    if not text:
        return None
    try:
        return json_format.Parse(text, Struct())
    except json_format.ParseError as error:
        raise click.BadParameter("is not a JSON object", param_hint="--metadata") from error
