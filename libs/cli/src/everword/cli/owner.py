"""Commands that work on the database itself, as the owner of its schema."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
import psycopg

from everword.client.local import default_data_folder
from everword.domain.settings import Environment
from everword.embedded.folder import find_running_stack


def with_admin_url(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the owner's URL that is set, or that of `everword up` on this machine.

    What Postgres refuses ends the command with status 1 and a line.
    """

    @click.option(
        "--admin-database-url",
        envvar="EVERWORD_ADMIN_DATABASE_URL",
        default="",
        show_default="that of `everword up`",
        help="Set the connection string of the schema's owner.",
    )
    @wraps(command)
    def run(admin_database_url: str, **arguments: Any) -> None:
        try:
            command(admin_database_url or _running_admin_url(), **arguments)
        except psycopg.OperationalError as error:
            raise click.ClickException(f"cannot reach the database: {error}") from error
        except psycopg.Error as error:
            raise click.ClickException(str(error).strip().splitlines()[0]) from error

    return run


def _running_admin_url() -> str:
    folder = Path(Environment(os.environ).text("EVERWORD_DATA") or default_data_folder())
    running = find_running_stack(folder.expanduser())
    if running is None or not running.admin_database_url:
        raise click.UsageError(
            "set EVERWORD_ADMIN_DATABASE_URL to the schema owner's connection string; "
            "no `everword up` runs on this machine"
        )
    return running.admin_database_url
