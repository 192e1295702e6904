"""`everword up`: the whole stack on this machine, until Ctrl-C."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from everword.client.local import default_data_folder
from everword.db.migrate import MigrationError
from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports, option
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.processes.heap import collect


def port_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for the port of each server."""
    for field in reversed(fields(Ports)):
        command = click.option(
            option(field.name),
            type=click.IntRange(1, 65535),
            default=field.default,
            show_default=True,
            help=f"Set the port of {field.name}.",
        )(command)
    return command


@click.command()
@click.option(
    "--data",
    envvar="EVERWORD_DATA",
    type=click.Path(file_okay=False, path_type=Path),
    default=default_data_folder,
    show_default="~/.local/share/everword or what this system has for it",
    help="Keep all data in this folder.",
)
@click.option("--ephemeral", is_flag=True, help="Delete all data at the end.")
@click.option("--free-ports", is_flag=True, help="Listen on free ports.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one line of JSON when everything is ready."
)
@port_options
def up(data: Path, ephemeral: bool, free_ports: bool, as_json: bool, **ports: int) -> None:
    """Start PostgreSQL, Valkey and the services, and keep them running until Ctrl-C.

    All services share one address, the port of the proxy; each also has its own port.

    Data is kept in one folder across starts. Set EVERWORD_DATABASE_URL or EVERWORD_REDIS_URL to use
    your own server instead of the embedded one.
    """
    console = Console(stderr=True)
    try:
        chosen = (
            Ports.free()
            if free_ports
            else Ports(**{name.removesuffix("_port"): port for name, port in ports.items()})
        )
        settings = StackSettings.from_environment(
            None if ephemeral else data, chosen, Environment(os.environ)
        )
        if ephemeral:
            console.print("[bold red]--ephemeral: NOTHING IS KEPT. All data is gone at the end.")
        asyncio.run(_run_until_stopped(settings, console, as_json))
    except (EmbeddedError, MigrationError) as error:
        raise click.ClickException(str(error)) from error


async def _run_until_stopped(settings: StackSettings, console: Console, as_json: bool) -> None:
    running = asyncio.create_task(_run(settings, console, as_json))
    loop = asyncio.get_running_loop()
    stopping = False

    def request_stop() -> None:
        # Once: a second Ctrl-C must not break the orderly stop off.
        nonlocal stopping
        if not stopping:
            stopping = True
            console.print("stopping …")
            running.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, request_stop)
    with suppress(asyncio.CancelledError):
        await running
    console.print("stopped")


async def _run(settings: StackSettings, console: Console, as_json: bool) -> None:
    async with stack(settings, lambda line: console.print(line, highlight=False)) as running:
        if as_json:
            click.echo(_json_line(running))
        else:
            Console().print(_table(running))
            if entry_points(group="everword.commands", name="web"):
                console.print("`everword web --console` shows the memories in a browser.")
            console.print(
                f"Everword is ready at {running.address}. Ctrl-C stops it.", highlight=False
            )
            if settings.data != default_data_folder():
                console.print(
                    f"In other shells: export EVERWORD_ADDRESS={running.address}", highlight=False
                )
        # The migration leaves much behind, and from now on this process only waits.
        collect()
        await asyncio.Event().wait()


def _json_line(running: RunningStack) -> str:
    return json.dumps(
        {
            "address": running.address,
            **running.addresses,
            "processes": {process.name: process.pid for process in running.processes},
        }
    )


def _table(running: RunningStack) -> Table:
    table = Table("process", "pid", "address")
    for process in running.processes:
        table.add_row(process.name, str(process.pid), process.address)
    return table
