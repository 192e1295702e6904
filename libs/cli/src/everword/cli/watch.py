"""`everword watch`: what happens to memories, as it happens."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import click
from click.core import ParameterSource
from google.protobuf import json_format

from everword.cli.filters import filter_options
from everword.cli.output import json_option, line, note
from everword.cli.session import remote
from everword.client import CallError, Client
from everword.v1 import memory_pb2
from everword.v1 import watch_pb2 as pb

#: More than the server lets a stream last.
LONGEST_S = 600.0


@click.command()
@click.option("--resume", default="", help="Continue after this token, which the last run printed.")
@click.option("--events", type=click.IntRange(1), help="Stop after this many events.")
@json_option
@remote
@filter_options
async def watch(
    client: Client, filter: memory_pb2.MemoryFilter, resume: str, events: int | None, as_json: bool
) -> None:
    """Print changes of memories until Ctrl-C; with --json, one JSON document a line.

    --timeout SECONDS ends it earlier.
    """
    given = click.get_current_context()
    is_limited = given.get_parameter_source("timeout") is ParameterSource.COMMANDLINE
    request = pb.WatchMemoriesRequest(filter=filter, resume_token=resume)
    answered, enough = asyncio.Event(), asyncio.Event()
    following = asyncio.create_task(_follow(client, request, events, as_json, answered, enough))
    ended = asyncio.create_task(enough.wait())
    limit_s = given.params["timeout"] if is_limited else None
    tasks = (following, ended)
    done, _ = await asyncio.wait(tasks, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    ended.cancel()
    if following in done or not answered.is_set():
        try:
            await following
        except TimeoutError as error:
            text = "there was no answer in time; --timeout SECONDS gives it longer"
            raise click.ClickException(text) from error
        except CallError:
            if request.resume_token:
                note(f"--resume {request.resume_token}")
            raise
    # Cancelling the task that reads the stream is the only way to end the call cleanly.
    following.cancel()
    with suppress(asyncio.CancelledError):
        await following
    note(f"--resume {request.resume_token}")


async def _follow(
    client: Client,
    request: pb.WatchMemoriesRequest,
    events: int | None,
    as_json: bool,
    answered: asyncio.Event,
    enough: asyncio.Event,
) -> None:
    """Print events for ever; set `answered` after the first response, and `enough` after `events` events.

    Raises: TimeoutError if the first response takes longer than --timeout.
    """
    max_wait_s: float = click.get_current_context().params["timeout"]
    seen = 0
    while True:
        # The server ends each stream after a while; the next call resumes with the token. A working server sends the
        # first response at once.
        async with asyncio.timeout(max_wait_s) as answer:
            async for response in client.search_service.WatchMemories(request, timeout=LONGEST_S):
                answer.reschedule(None)
                answered.set()
                if enough.is_set():
                    continue
                for event in response.events:
                    _print(event, as_json)
                seen += len(response.events)
                request.resume_token = response.resume_token
                if events and seen >= events:
                    enough.set()


def _print(event: pb.MemoryEvent, as_json: bool) -> None:
    if as_json:
        click.echo(json_format.MessageToJson(event, preserving_proto_field_name=True, indent=None))
        return
    what = pb.MemoryEvent.Type.Name(event.type).removeprefix("TYPE_").lower()
    line(f"{what} {event.memory.address or event.memory_id} {event.memory.content}".rstrip())
