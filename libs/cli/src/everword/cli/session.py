"""A command's connection to a running Everword, and the wording of a failed call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import wraps
from typing import Any

import click
import grpc

from everword.client import CallError, Client, ClientSettings, ClientSettingsError
from everword.client.settings import DEFAULT_ADDRESS


def remote(command: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a click callback of a coroutine function: it is given an open client first.

    Adds `--namespace` and `--timeout`. A call that fails ends the command with status 1 and a line that says what to
    do; a wrong setting with status 2.
    """

    @click.option(
        "--namespace",
        envvar="EVERWORD_NAMESPACE",
        default="",
        show_default="the API key's, or `default`",
        help="Use this namespace.",
    )
    @click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=ClientSettings.timeout_s,
        show_default=True,
        help="Set the deadline in seconds.",
    )
    @wraps(command)
    def run(namespace: str, timeout: float, **arguments: Any) -> None:
        try:
            settings = replace(
                ClientSettings.from_environment(), namespace=namespace, timeout_s=timeout
            )
            asyncio.run(_with_client(settings, command, arguments))
        except ClientSettingsError as error:
            raise click.UsageError(str(error)) from error
        except CallError as error:
            raise click.ClickException(explain(error)) from error

    return run


def run_default(context: click.Context, command: click.Command) -> None:
    """Run `command` without arguments if no subcommand was named.

    `Context.invoke` would not read the options' environment variables.
    """
    if context.invoked_subcommand is None:
        with command.make_context(command.name, [], parent=context) as own:
            command.invoke(own)


async def _with_client(
    settings: ClientSettings,
    command: Callable[..., Coroutine[Any, Any, None]],
    arguments: dict[str, Any],
) -> None:
    async with Client.connect(settings) as client:
        try:
            await command(client, **arguments)
        except CallError as error:
            from everword.cli.suggestions import suggest  # loads all services; for errors only

            raise click.ClickException(explain(error) + await suggest(client, error)) from error


def explain(error: CallError) -> str:
    """Return what went wrong and what to do, for a person."""
    if error.is_unanswered and error.address == DEFAULT_ADDRESS:
        # After `everword up` has ended, its address is unknown: the default one would be confusing.
        return (
            "Everword is not running on this machine; start it with `everword up`. "
            "If it runs elsewhere, set EVERWORD_ADDRESS."
        )
    if error.is_unanswered:
        return f"cannot reach {error.address}; is `everword up` running?"
    if error.code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"{error.address} did not finish in time; --timeout SECONDS gives it longer"
    if error.reason in {"CREDENTIALS_MISSING", "CREDENTIALS_INVALID"}:
        return f"{error.message} The key is taken from EVERWORD_API_KEY."
    message = error.message
    if error.reason == "NAMESPACE_NOT_FOUND":
        message = "There is no such namespace; `everword namespaces create NAME` creates it."
    return f"{message} ({', '.join(_particulars(error))})"


def _particulars(error: CallError) -> list[str]:
    """Return the reason of an error and its metadata, such as the conflicting id."""
    about = {**error.metadata, "request_id": error.request_id}
    # The error message already describes the violations, and their number does not help.
    about.pop("violations", None)
    return [error.reason or error.code.name, *(f"{key} {value}" for key, value in about.items())]
