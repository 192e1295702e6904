"""`everword rebuild`: make what is derived again from what it is derived from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

import click

from everword.cli.output import json_option, line, note, print_table, progress
from everword.cli.owner import with_admin_url
from everword.integrity.rebuild import Rebuilder, connect
from everword.integrity.verify import count_rows, list_namespaces


@click.command()
@click.argument("namespace", default="")
@click.option(
    "--after", metavar="NAME", default="", help="Go on with the namespaces after this one."
)
@json_option
@with_admin_url
def rebuild(admin_url: str, namespace: str, after: str, as_json: bool) -> None:
    """Make passages, counters and what is due for vectors and days again, in all namespaces or in one.

    What agrees with what it is derived from stays as it is. Searches and writes go on meanwhile.
    """
    done = dict[str, Counter[str]]()
    with connect(admin_url) as conn:
        namespaces = list_namespaces(conn, after)
        if namespace:
            namespaces = [each for each in namespaces if each.name == namespace]
            if not namespaces:
                raise click.ClickException(f"there is no namespace {namespace}")
        try:
            for each in namespaces:
                with progress() as bar:
                    task = bar.add_task(f"rebuilding {each.name}", total=count_rows(conn, each))
                    rebuilder = Rebuilder(conn, each)
                    done[each.name] = rebuilder.rebuild(lambda more: bar.advance(task, more))  # noqa: B023
        except KeyboardInterrupt:
            last = [*done][-1] if done else after
            note(f"not finished: go on with `everword rebuild{f' --after {last}' if last else ''}`")
    if as_json:
        click.echo(json.dumps({"namespaces": done}, ensure_ascii=False, indent=2))
    else:
        _print(done)
    if len(done) < len(namespaces):
        raise click.exceptions.Exit(1)


def _print(done: Mapping[str, Mapping[str, int]]) -> None:
    line(f"{len(done)} namespaces looked at")
    rows = [(name, what, count) for name, counts in done.items() for what, count in counts.items()]
    if rows:
        print_table(("namespace", "made again, or removed", "rows"), rows, right="rows")
    else:
        line("all of it agrees with what it is derived from")
