"""`everword bench peers`: Everword compared with other stores, in alternation on this machine."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from everword.bench.native_format import BenchSet, read_set
from everword.bench.peers.everword import EverwordSystem
from everword.bench.peers.figures import markdown, table
from everword.bench.peers.peer import PEERS, Peer
from everword.bench.peers.run import empty_folder, export_model, measure_rounds, other_form
from everword.bench.peers.system import PeerConversation, PeerError, System
from everword.bench.peers.workload import choose_conversations
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.speed.machine import processor_facts
from everword.cli.files import ensure_writable
from everword.cli.output import line, note, print_table
from everword.cli.session import explain
from everword.client import CallError
from everword.embedded.errors import EmbeddedError
from everword.transcripts import TranscriptError

#: Made by `make peers-setup`.
PYTHON = Path(".venv-peers/bin/python")
CONVERSATIONS, QUESTIONS, ROUNDS = 2, 100, 3
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
_existing = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--data", "data", type=_existing, metavar="FILE", required=True, help="Conversations to use."
)
@click.option(
    "--peer",
    "peers",
    type=click.Choice(PEERS),
    multiple=True,
    default=PEERS,
    show_default="all",
    help="Compare with this peer; repeatable.",
)
@click.option(
    "--conversations",
    type=click.IntRange(1),
    default=CONVERSATIONS,
    show_default=True,
    help="Conversations of FILE, those with the most messages.",
)
@click.option(
    "--questions",
    type=click.IntRange(1),
    default=QUESTIONS,
    show_default=True,
    help="Questions of each conversation.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=ROUNDS,
    show_default=True,
    help="Rounds in alternation; figures are medians.",
)
@click.option(
    "--python",
    type=click.Path(dir_okay=False, path_type=Path),
    default=PYTHON,
    show_default=True,
    help="Interpreter of the environment that the peers are installed in.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all figures to this file.",
)
@click.option(
    "--report",
    type=_existing,
    help=f"Write the table into this page, between `{BEGIN}` and `{END}`.",
)
def peers(
    data: Path,
    peers: Sequence[str],
    conversations: int,
    questions: int,
    rounds: int,
    python: Path,
    output: Path | None,
    report: Path | None,
) -> None:
    """Compare Everword with other stores: quality, speed, start and memory.

    Every system stores the same messages and answers the same questions, each round in an empty folder. Everword is
    an `everword up` with default settings. Each peer is its library in a process of its own, with Everword's model
    file as its embedding function, in two threads. No language model is used: mem0 stores messages as they are
    (`infer=False`). Nothing else should run on the machine.
    """
    ensure_writable("--json", output)
    if report is not None and not _has_block(report):
        raise click.BadParameter(
            f"{report} has no {BEGIN} with {END} after it", param_hint="--report"
        )
    if not python.exists():
        raise click.ClickException(
            f"{python} does not exist: run `make peers-setup` in a checkout, or name an interpreter with --python"
        )

    def keep(document: dict[str, Any]) -> None:
        # After each round, since a run takes more than ten minutes and may be interrupted.
        if output is not None:
            write_json(output, document)
        if report is not None:
            write_block(report, markdown(document))

    try:
        loaded = read_set(data)
        chosen = choose_conversations(loaded.datasets, conversations, questions)
        document = asyncio.run(
            _measure(loaded, chosen, list(dict.fromkeys(peers)), rounds, python.absolute(), keep)
        )
    except (PeerError, EmbeddedError, TranscriptError, TimeoutError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        raise click.ClickException("stopped") from error
    columns, rows = table(document)
    print_table(columns, rows, right=" ".join(columns[1:]))
    line(markdown(document).partition("\n")[0])


async def _measure(
    loaded: BenchSet,
    chosen: Sequence[PeerConversation],
    names: Sequence[str],
    rounds: int,
    python: Path,
    keep: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Return the figures of all rounds; `keep` receives the figures so far after each round."""
    this = asyncio.current_task()
    assert this is not None
    # The systems must be stopped in order.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    code = await asyncio.to_thread(commit)
    with empty_folder() as model:
        form = await export_model(model)
        peers = [Peer(name, python, model) for name in names]
        systems: list[System] = [EverwordSystem(), *peers]
        document: dict[str, Any] = {
            "date": datetime.now(UTC).date().isoformat(),
            "commit": code,
            "machine": processor_facts(),
            "data": {
                "name": loaded.name,
                "conversations": len(chosen),
                "messages": sum(len(each.dataset.entries) for each in chosen),
                "questions": sum(len(each.questions) for each in chosen),
            },
            "form": form,
            "other": other_form(form),
        }
        async for done, measured in measure_rounds(systems, chosen, form, rounds, note):
            document["rounds"] = done
            document["systems"] = {name: each.as_json() for name, each in measured.items()}
            keep(document)
    return document


def _has_block(page: Path) -> bool:
    _, begin, rest = page.read_text("utf-8").partition(BEGIN)
    return bool(begin) and END in rest


def write_block(page: Path, text: str) -> None:
    """Replace the text between the two markers of a page."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")
