"""`everword rebuild`: compute derived data again from its sources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping

import click

from everword.cli.by_namespace import by_namespace, process_namespaces
from everword.cli.output import json_option, line, print_table
from everword.cli.owner import with_admin_url
from everword.integrity.rebuild import Rebuilder, connect
from everword.integrity.verify import Namespace


@click.command()
@by_namespace
@json_option
@with_admin_url
def rebuild(admin_url: str, namespace: str, after: str, as_json: bool) -> None:
    """Rebuild passages, counters and queues of vectors and days, in one namespace or in all.

    Correct rows stay as they are. Searches and writes can continue meanwhile.
    """
    made = dict[str, Counter[str]]()
    with connect(admin_url) as conn:

        def step(each: Namespace, advanced: Callable[[int], None]) -> None:
            made[each.name] = Rebuilder(conn, each).rebuild(advanced)

        _, finished = process_namespaces(conn, namespace, after, "rebuilding", step)
    if as_json:
        click.echo(json.dumps({"namespaces": made}, ensure_ascii=False, indent=2))
    else:
        _print(made)
    if not finished:
        raise click.exceptions.Exit(1)


def _print(done: Mapping[str, Mapping[str, int]]) -> None:
    line(f"{len(done)} namespaces looked at")
    rows = [(name, what, count) for name, counts in done.items() for what, count in counts.items()]
    if rows:
        print_table(("namespace", "made again, or removed", "rows"), rows, right="rows")
    else:
        line("all derived data agrees with its sources")
