"""`everword models`: change the embedding model while Everword serves."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

import click

from everword.cli.output import json_option, line, note, print_table, progress, size
from everword.cli.owner import with_admin_url
from everword.db.generations import GRACE_S, Generation, GenerationError, Generations
from everword.embedded.errors import EmbeddedError
from everword.embedded.model import describe_model

#: How often progress is looked at.
POLL_S = 0.5
#: Seconds without progress after which a waiting command names the last error.
STALLED_S = 15.0


def owner(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the generations of the owner's database: tables are made."""

    @with_admin_url
    @wraps(command)
    def run(admin_url: str, **arguments: Any) -> None:
        try:
            command(Generations(admin_url), **arguments)
        except (GenerationError, EmbeddedError) as error:
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
@click.argument("model", default="")
@click.option(
    "--url",
    default="",
    help="Use MODEL of this OpenAI-compatible server; its only model if MODEL is left out.",
)
@click.option("--weights", default="", help="Set the path of the ONNX file in the model's folder.")
@click.option(
    "--pooling",
    type=click.Choice(["mean", "cls", "last"]),
    default=None,
    show_default="read from the model",
    help="Set how the vectors of tokens become one.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=8),
    show_default="read from the model",
    help="Cut texts to this many tokens.",
)
@click.option(
    "--query-prefix",
    show_default="read from the model, or known by its name",
    help="Prefix each query with this text.",
)
@click.option(
    "--passage-prefix",
    show_default="read from the model, or known by its name",
    help="Prefix each passage with this text.",
)
@click.option(
    "--dimensions",
    type=click.IntRange(1, 4000),
    show_default="all of the model's",
    help="Cut vectors to this many dimensions; the model must have been trained for it (Matryoshka).",
)
@click.option(
    "--switch", "switches", is_flag=True, help="Wait for the vectors, and switch to the model."
)
@json_option
@owner
def add(
    generations: Generations, model: str, switches: bool, as_json: bool, **options: Any
) -> None:
    """Check a model, add it, and start to build its vectors as a new generation.

    MODEL is a folder in the layout of Hugging Face or sentence-transformers, with its weights in ONNX; the name of such
    a model on a hub, OWNER/NAME; or, with --url, a model of a server. The folder must be on the embedder's machine.

    \b
    everword models add intfloat/multilingual-e5-small --switch
    everword models add ./my-model
    everword models add bge-m3 --url http://localhost:11434/v1
    """
    if not model and not options["url"]:
        raise click.UsageError("name a MODEL: a folder, or OWNER/NAME of a model on a hub")
    request = {name: value for name, value in options.items() if value is not None}
    described, trial = describe_model({"model": model, **request})
    same = generations.find_same(described)
    added = same or generations.get(generations.add(described))
    if as_json and not switches:
        _show([added], as_json)
        return
    if not as_json:
        if same:
            line(f"generation {same.id} is this model already; it is {same.state}")
        _show_added(added, trial or {})
    if switches:
        _switch(generations, added, as_json)
    elif added.state != "active":
        line(
            f"its vectors are built in the background; `everword models switch {added.id}` waits for them and switches"
        )


@models.command()
@click.argument("model")
@json_option
@owner
def switch(generations: Generations, model: str, as_json: bool) -> None:
    """Make MODEL, a name or the id of a generation, the active one.

    Waits until its vectors are complete and builds the vector index, while Everword runs and searches the active model.
    Run the command again if it was interrupted. A model that was active before keeps its vectors until it is dropped;
    switching back to it makes only the missing ones.
    """
    _switch(generations, generations.find(model), as_json)


@models.command()
@click.argument("model")
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=GRACE_S,
    show_default=True,
    help="Refuse to drop a generation within this many seconds after the switch from it.",
)
@owner
def drop(generations: Generations, model: str, grace: float) -> None:
    """Delete MODEL, a name or the id of a generation, with its vectors; the active one cannot be deleted."""
    dropped = generations.find(model)
    generations.drop(dropped.id, grace)
    line(f"generation {dropped.id} ({dropped.model}) is gone")


def _switch(generations: Generations, target: Generation, as_json: bool) -> None:
    if target.state == "active":
        raise click.ClickException(f"generation {target.id} ({target.model}) is active already")
    if target.state == "retiring":
        generations.resume(target.id)
    with progress() as display:
        _wait_until_complete(generations, target.id, display)
        task = display.add_task("building the index", total=None)
        generations.switch(
            target.id, lambda done, total: display.update(task, completed=done, total=total)
        )
    switched = generations.get(target.id)
    if as_json:
        _show([switched], as_json)
        return
    line(f"generation {switched.id} ({switched.model}) is active")
    if switched.failed:
        line(f"{switched.failed} passages have no vector: {switched.error}")
    line(
        "if Everword has no calibration for this model, the relevance of results is unknown; `everword calibrate` "
        "makes one from questions with known answers"
    )


def _wait_until_complete(generations: Generations, generation_id: int, display: Any) -> None:
    """Wait until all vectors of a generation are there, and show how many are."""
    task = display.add_task("embedding", total=None)
    done, since, named = -1, time.monotonic(), ""
    while not (found := generations.get(generation_id)).is_complete:
        if found.backfilled_at is None:
            generations.backfill(generation_id)
        display.update(
            task,
            total=found.passages if found.backfilled_at else None,
            completed=max(0, found.embedded),
        )
        if found.embedded != done:
            done, since = found.embedded, time.monotonic()
        elif time.monotonic() - since > STALLED_S and found.error and found.error != named:
            named = found.error
            note(f"no vector for {STALLED_S:.0f} s: {named}")
        time.sleep(POLL_S)


def _show_added(added: Generation, trial: Mapping[str, Any]) -> None:
    """Print the properties of a model, and the results of its trial."""
    languages = ", ".join(added.languages)
    rows = [
        ("generation", str(added.id)),
        ("model", added.model),
        ("files" if added.provider == "local" else "server", added.endpoint or "packaged"),
        ("size", size(added.size_bytes) if added.size_bytes else "unknown"),
        ("languages", languages or "unknown"),
        ("dimensions", str(added.dimensions)),
        ("tokens", f"at most {added.max_tokens}" if added.max_tokens else "unknown"),
        ("pooling", added.pooling if added.provider == "local" else "by the server"),
        ("query prefix", repr(added.query_prefix)),
        ("passage prefix", repr(added.passage_prefix)),
    ]
    if trial:
        rows += [
            (
                "cosines",
                f"{trial['answer_cosine']} of questions and their answers, {trial['other_cosine']} of others",
            ),
            ("question", f"{trial['question_ms']} ms"),
            ("passages", f"{trial['passages_per_s']} per second"),
        ]
    print_table(("", "checked"), rows)


def _show(found: list[Generation], as_json: bool) -> None:
    if as_json:
        documents = [asdict(each) | {"embedded": each.embedded} for each in found]
        click.echo(json.dumps(documents, default=str, indent=2))
        return
    rows = [
        (
            each.id,
            each.state,
            each.model,
            _source(each),
            size(each.size_bytes) if each.size_bytes else "",
            each.dimensions,
            _languages(each),
            f"{each.embedded} of {each.passages}" if each.backfilled_at else "queueing",
            each.failed,
        )
        for each in found
    ]
    columns = (
        "id",
        "state",
        "model",
        "from",
        "size",
        "dimensions",
        "languages",
        "embedded",
        "failed",
    )
    print_table(columns, rows, right="id size dimensions embedded failed")


def _source(generation: Generation) -> str:
    """Return where a model runs: the host of its server, or the kind of a local model."""
    if generation.provider == "local":
        return "folder" if generation.endpoint else "packaged"
    return urlsplit(generation.endpoint).netloc or "EVERWORD_EMBED_URL"


def _languages(generation: Generation) -> str:
    """Return up to four languages; of more, their number."""
    known = generation.languages
    return ", ".join(known) if len(known) <= 4 else f"{len(known)} languages"
