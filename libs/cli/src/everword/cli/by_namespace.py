"""Commands that go through a database namespace by namespace, and can continue after an interruption."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click
import psycopg

from everword.cli.output import note, progress
from everword.cli.suggestions import did_you_mean
from everword.integrity.verify import Namespace, count_rows, list_namespaces

#: Processes a namespace, and reports the number of processed rows.
Step = Callable[[Namespace, Callable[[int], None]], None]


def by_namespace(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the name of one namespace, empty for all, and that after which it goes on."""
    after = click.option(
        "--after", metavar="NAME", default="", help="Continue with the namespaces after this one."
    )
    return click.argument("namespace", default="")(after(command))


def process_namespaces(
    conn: psycopg.Connection, namespace: str, after: str, doing: str, step: Step
) -> tuple[list[str], bool]:
    """Run a step in each namespace, or in the one named, under a progress bar.

    Returns the namespaces that are done, and whether all are. When interrupted, it prints the `--after` option that
    continues from there.
    """
    namespaces = list_namespaces(conn, after)
    if namespace:
        names = [each.name for each in namespaces]
        if namespace not in names:
            similar = did_you_mean(namespace, names)
            raise click.ClickException(f"there is no namespace {namespace!r}.{similar}")
        namespaces = [each for each in namespaces if each.name == namespace]
    done = list[str]()
    try:
        for each in namespaces:
            with progress() as bar:
                task = bar.add_task(f"{doing} {each.name}", total=count_rows(conn, each) or None)
                step(each, partial(bar.advance, task))
            done.append(each.name)
    except KeyboardInterrupt:
        last = done[-1] if done else after
        command = click.get_current_context().command_path
        note(f"not finished: continue with `{command}{f' --after {last}' if last else ''}`")
    return done, len(done) == len(namespaces)
