"""`everword workspace`: the files of an agent's workspace."""

from __future__ import annotations

from typing import Any

import click

from everword.cli.document_scopes import read_content, scope_options, to_scope
from everword.cli.notes import author_option, request_option, version_option
from everword.cli.output import json_option, line, print_json, print_table, shorten, verbatim, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import list_all
from everword.v1 import document_service_pb2 as pb

_NAME, _WRITER, _LAYER = "WORKSPACE_FILE_NAME_", "WORKSPACE_WRITER_", "WORKSPACE_LAYER_"
NAMES = tuple(name.removeprefix(_NAME) for name, number in pb.WorkspaceFileName.items() if number)
WRITERS = tuple(
    name.removeprefix(_WRITER).lower() for name, number in pb.WorkspaceWriter.items() if number
)
name_argument = click.argument("name", type=click.Choice(NAMES, case_sensitive=False))
writer_option = click.option(
    "--as",
    "writer",
    type=click.Choice(WRITERS),
    default="agent",
    show_default=True,
    help="Set the kind of writer; agents may change only MEMORY.",
)


@click.group()
def workspace() -> None:
    """Write and read the files of an agent's workspace, such as SOUL and MEMORY."""


@workspace.command()
@name_argument
@click.argument("content")
@scope_options
@writer_option
@author_option
@request_option
@version_option
@click.option("--append", is_flag=True, help="Append to the existing content.")
@json_option
@remote
async def write(
    client: Client,
    name: str,
    content: str,
    agent: str,
    subject: str,
    conversation: str,
    writer: str,
    author: str,
    request_id: str,
    expected: int | None,
    append: bool,
    as_json: bool,
) -> None:
    """Write CONTENT, or standard input if it is -, as the file NAME, and replace an existing one."""
    request = pb.WriteWorkspaceFileRequest(
        name=_name(name),
        scope=to_scope(agent, subject, conversation),
        content=read_content(content),
        append=append,
        expected_version=expected,
        writer=_writer(writer),
        author=author,
        request_id=request_id,
    )
    response = await client.document_service.WriteWorkspaceFile(request)
    if as_json:
        print_json(response)
    else:
        line(f"{name.upper()}: version {response.version}")


@workspace.command()
@name_argument
@scope_options
@json_option
@remote
async def show(
    client: Client, name: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """Show the file NAME."""
    request = pb.GetWorkspaceFileRequest(
        name=_name(name), scope=to_scope(agent, subject, conversation)
    )
    response = await client.document_service.GetWorkspaceFile(request)
    if as_json:
        print_json(response)
    else:
        verbatim(response.file.content)


@workspace.command("list")
@click.option("--agent", "agents", multiple=True, help="Include only this agent.")
@json_option
@remote
async def list_(client: Client, agents: tuple[str, ...], as_json: bool) -> None:
    """List files, newest first."""
    request = pb.ListWorkspaceFilesRequest(agents=agents)
    response = await list_all(client.document_service.ListWorkspaceFiles, request)
    if as_json:
        print_json(response)
        return
    rows: list[tuple[Any, ...]] = [
        (
            pb.WorkspaceFileName.Name(file.name).removeprefix(_NAME),
            file.scope.agent,
            pb.WorkspaceLayer.Name(file.layer).removeprefix(_LAYER).lower(),
            "all" if file.agent_may_write else "people",
            file.version,
            pb.WorkspaceWriter.Name(file.writer).removeprefix(_WRITER).lower(),
            when(file.update_time),
        )
        for file in response.files
    ]
    columns = ("file", "agent", "layer", "who may write", "version", "writer", "written")
    print_table(columns, rows, right="version")


@workspace.command()
@name_argument
@scope_options
@json_option
@remote
async def history(
    client: Client, name: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """Show the versions of the file NAME, latest first, even if it is deleted."""
    request = pb.GetWorkspaceFileHistoryRequest(
        name=_name(name), scope=to_scope(agent, subject, conversation)
    )
    response = await list_all(client.document_service.GetWorkspaceFileHistory, request)
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.version,
            when(each.write_time),
            pb.WorkspaceWriter.Name(each.writer).removeprefix(_WRITER).lower(),
            each.author,
            "(deleted)" if each.deleted else shorten(each.content, 120),
        )
        for each in response.versions
    ]
    print_table(("version", "written", "writer", "author", "content"), rows)


def _name(name: str) -> pb.WorkspaceFileName.ValueType:
    return pb.WorkspaceFileName.Value(f"{_NAME}{name.upper()}")


def _writer(name: str) -> pb.WorkspaceWriter.ValueType:
    return pb.WorkspaceWriter.Value(f"{_WRITER}{name.upper()}")
