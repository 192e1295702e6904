"""`everword call`: any public RPC, with JSON for its request and its response."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from google.protobuf import json_format, message_factory
from google.protobuf.message import Message

from everword.cli.api_methods import (
    Method,
    find_methods,
    first_sentence,
    read_api,
    request_skeleton,
)
from everword.cli.output import print_json, to_document
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean
from everword.client import Client
from everword.client.servers import public_services

#: Comment lines, as `--describe` prints them. No JSON text continues on such a line.
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
#: Protobuf's error for an unknown JSON field.
_UNKNOWN_FIELD = re.compile(
    r'Message type "(?P<message>[\w.]+)" has no field named "(?P<field>[^"]*)"'
)

#: Protobuf's error for an unknown name of an enum value.
_UNKNOWN_VALUE = re.compile(r"Invalid enum value (?P<value>\S+) for enum type (?P<enum>[\w.]+)")


def complete_method(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete `Service/Method`, or `Note/…` for `NoteService/…`."""
    folded = incomplete.casefold()
    items = []
    for path, method in read_api().methods.items():
        for name in (path, path.replace("Service/", "/", 1)):
            if name.casefold().startswith(folded):
                items.append(CompletionItem(name, help=method.summary))
                break
    return items


@click.command()
@click.argument("method", default="", metavar="[SERVICE/METHOD]", shell_complete=complete_method)
@click.argument("request_text", default="", metavar="[REQUEST]")
@click.option(
    "--describe", is_flag=True, help="Print an empty request with comments; call nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Do nothing: the output is always JSON.")
@remote
async def call(
    client: Client, method: str, request_text: str, describe: bool, as_json: bool
) -> None:
    """Call any public RPC with a JSON request, and print the response as JSON.

    REQUEST is a JSON object, @FILE, or - for standard input; without it, the request is empty. Fields
    are named as in the protos. A stream of requests is several JSON objects; a stream of responses is
    printed as one JSON object a line.

    Without SERVICE/METHOD, list all methods; with SERVICE, those of one service. The suffix
    `Service` may be left out.

    \b
    everword call NoteService/ListNotes '{"page_size": 5}'
    everword call Note/WriteNote --describe > request.json
    everword call Note/WriteNote @request.json
    """
    found = find_methods(method) if method else list(read_api().methods.values())
    if "/" not in method.lstrip("/").replace(".", "/").removeprefix("everword/v1/"):
        if request_text:
            raise click.UsageError(
                f"{method} is a service: write {method}/METHOD before the request"
            )
        _print_methods(found)
        return
    if describe:
        click.echo(request_skeleton(found[0]))
        return
    await _call(client, found[0], read_requests(found[0], request_text))


def _print_methods(methods: list[Method]) -> None:
    """Print services and methods, with the first sentence of their comments."""
    services = read_api().services
    for service in dict.fromkeys(each.service for each in methods):
        rows = [(each.name, each.summary) for each in methods if each.service == service]
        formatter = click.HelpFormatter(width=click.get_current_context().terminal_width)
        formatter.write_text(f"{service}: {first_sentence(services[service])}")
        with formatter.indentation():
            formatter.write_dl(rows)
        click.echo(formatter.getvalue())


def read_requests(method: Method, text: str) -> list[Message]:
    """Return the requests in an argument, a file or standard input. Raises click.UsageError if they are not valid."""
    documents = list(_documents(method, _read(text)))
    return [_parse(method, document) for document in documents]


def _read(text: str) -> str:
    if text == "-":
        return sys.stdin.read()
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"cannot read the request from {text[1:]}: {error}") from error


def _documents(method: Method, text: str) -> Iterator[dict[str, Any]]:
    """Yield JSON documents: one after the other if the method takes a stream, else a single one."""
    text = _COMMENT.sub("", text).strip()
    if not text and not method.streams_requests:
        yield {}
    number = 0
    while text:
        number += 1
        try:
            document, end = json.JSONDecoder().raw_decode(text)
            if text[end:].strip() and not method.streams_requests:
                raise ValueError("text after the end of the object")
        except (ValueError, RecursionError) as error:
            where = f"request {number}" if method.streams_requests else "the request"
            raise click.UsageError(
                f"{where} is not valid JSON: {error}; {_describe_hint(method)}"
            ) from error
        if not isinstance(document, dict):
            raise click.UsageError(f"the request is not a JSON object; {_describe_hint(method)}")
        yield document
        text = text[end:].lstrip()


def _parse(method: Method, document: dict[str, Any]) -> Message:
    service = next(each for each in public_services() if each.name == method.service)
    request_type = service.methods_by_name[method.name].input_type
    request = message_factory.GetMessageClass(request_type)()
    try:
        return json_format.ParseDict(document, request)
    except json_format.ParseError as error:
        # The list of all fields after the first sentence is longer than a screen.
        wrong = str(error).partition("\n")[0].partition("  Available Fields")[0].rstrip(". ")
        if unknown := _UNKNOWN_FIELD.search(wrong):
            known = _field_names(unknown["message"])
            wrong = f"{unknown['message']} has no field {unknown['field']!r}.{did_you_mean(unknown['field'], known)}"
        elif invalid := _UNKNOWN_VALUE.search(wrong):
            known = read_api().enums.get(f".{invalid['enum']}", [])
            wrong = f"{invalid['enum']} has no value {invalid['value']!r}. Its values: {', '.join(known)}."
        else:
            wrong += "."
        raise click.UsageError(
            f"the request is no {request_type.name}: {wrong} {_describe_hint(method)}"
        ) from error


def _field_names(message_name: str) -> list[str]:
    """Return the field names of a message, by its full name without a leading dot; empty if it is not public."""
    described = read_api().messages.get(f".{message_name}")
    return [field.name for field in described.proto.field] if described else []


def _describe_hint(method: Method) -> str:
    return f"`everword call {method.path} --describe` shows the fields"


async def _call(client: Client, method: Method, requests: list[Message]) -> None:
    """Call a method and print its responses. Raises CallError."""
    stub = getattr(client, _attribute(method.service))
    rpc = getattr(stub, method.name)
    sent = rpc(iter(requests) if method.streams_requests else requests[0])
    if not method.streams_responses:
        print_json(await sent)
        return
    async for response in sent:
        click.echo(json.dumps(to_document(response), ensure_ascii=False))


def _attribute(service: str) -> str:
    """Return the name of a service's stub in the client: `note_service` for `NoteService`."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", service).lower()
