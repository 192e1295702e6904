"""`everword models`: change the embedding model while Everword serves."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

import click

from everword.cli.output import json_option, line, print_table, progress
from everword.cli.owner import with_admin_url
from everword.db.generations import GRACE_S, Generation, GenerationError, Generations, NewGeneration

#: How often progress is looked at.
POLL_S = 0.5


def owner(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the generations of the owner's database: tables are made."""

    @with_admin_url
    @wraps(command)
    def run(admin_url: str, **arguments: Any) -> None:
        try:
            command(Generations(admin_url), **arguments)
        except GenerationError as error:
            raise click.ClickException(str(error)) from error

    return run


@click.group()
def models() -> None:
    """List, add, switch and drop embedding models.

    The vectors of a new model are built in the background; searches use the active model.
    """


@models.command("list")
@json_option
@owner
def list_models(generations: Generations, as_json: bool) -> None:
    """List embedding models with their generations."""
    _show(generations.list(), as_json)


@models.command()
@click.option("--provider", type=click.Choice(["local", "openai"]), required=True)
@click.option("--model", required=True, help="Set the model's name on its server.")
@click.option("--dimensions", type=click.IntRange(1, 4000), required=True)
@click.option("--endpoint", default="", help="Set the base URL of an OpenAI-compatible server.")
@click.option("--query-prefix", default="", help="Prefix each query with this text.")
@click.option("--passage-prefix", default="", help="Prefix each passage with this text.")
@click.option(
    "--matryoshka", is_flag=True, help="Allow truncating the model's vectors to fewer dimensions."
)
@json_option
@owner
def add(generations: Generations, as_json: bool, **fields: Any) -> None:
    """Add a model, and start to build its vectors as a new generation."""
    if fields["provider"] == "openai" and not fields["endpoint"]:
        raise click.UsageError("--provider openai needs --endpoint, such as http://gpu:8000/v1")
    generation_id = generations.add(NewGeneration(**fields))
    _show([generations.get(generation_id)], as_json)


@models.command("progress")
@click.argument("generation", type=int)
@click.option("--wait", is_flag=True, help="Wait until the generation is complete.")
@json_option
@owner
def show_progress(generations: Generations, generation: int, wait: bool, as_json: bool) -> None:
    """Show the progress of a generation."""
    with progress() as display:
        task = display.add_task("embedding", total=None)
        while wait and not _complete(found := generations.get(generation)):
            display.update(
                task,
                total=found.passages if found.backfilled_at else None,
                completed=found.passages - found.pending - found.failed,
            )
            time.sleep(POLL_S)
    _show([generations.get(generation)], as_json)


@models.command()
@click.argument("generation", type=int)
@owner
def switch(generations: Generations, generation: int) -> None:
    """Make a complete generation the active one.

    Builds the vector index first, while Everword runs. Run the command again if it was interrupted.
    """
    with progress() as display:
        task = display.add_task("making its index", total=None)
        generations.switch(
            generation, lambda done, total: display.update(task, completed=done, total=total)
        )
    line(f"generation {generation} is active")


@models.command()
@click.argument("generation", type=int)
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=GRACE_S,
    show_default=True,
    help="Refuse to drop a generation within this many seconds after the switch from it.",
)
@owner
def drop(generations: Generations, generation: int, grace: float) -> None:
    """Delete an inactive generation with its vectors."""
    generations.drop(generation, grace)
    line(f"generation {generation} is gone")


def _complete(generation: Generation) -> bool:
    return generation.backfilled_at is not None and generation.pending == 0


def _show(found: list[Generation], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([asdict(each) for each in found], default=str, indent=2))
        return
    rows = [
        (
            each.id,
            each.state,
            f"{each.provider}:{each.model}",
            each.dimensions,
            each.storage,
            each.passages - each.pending - each.failed if each.backfilled_at else "queueing",
            each.pending,
            each.failed,
        )
        for each in found
    ]
    columns = ("id", "state", "model", "dimensions", "storage", "embedded", "pending", "failed")
    print_table(columns, rows, right="id dimensions embedded pending failed")
