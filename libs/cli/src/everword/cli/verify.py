"""`everword verify`: whether everything that is stored is sound."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import click

from everword.cli.by_namespace import by_namespace, go_through
from everword.cli.output import json_option, line, print_table
from everword.cli.owner import with_admin_url
from everword.integrity.verify import IntegrityFinding, Namespace, Verifier, connect


@click.command()
@by_namespace
@json_option
@with_admin_url
def verify(admin_url: str, namespace: str, after: str, as_json: bool) -> None:
    """Check the integrity of stored data, in one namespace or in all.

    Only reads, in short statements. Reports what to do about each finding, and exits with status 1.
    """
    found = list[IntegrityFinding]()
    with connect(admin_url) as conn:
        verifier = Verifier(conn)

        def step(each: Namespace, advanced: Callable[[int], None]) -> None:
            found.extend(verifier.verify_namespace(each, advanced))

        if not namespace:
            found += verifier.verify_database()
        done, finished = go_through(conn, namespace, after, "checking", step)
    if as_json:
        click.echo(json.dumps(_document(done, found), ensure_ascii=False, indent=2))
    else:
        _print(done, found)
    if found or not finished:
        raise click.exceptions.Exit(1)


def _document(done: Sequence[str], found: Sequence[IntegrityFinding]) -> dict[str, Any]:
    return {
        "namespaces": list(done),
        "findings": [
            {
                "check": each.check.name,
                "namespace": each.namespace,
                "holds": each.check.holds,
                "count": each.count,
                "examples": [{"id": id_, "detail": detail} for id_, detail in each.examples],
                "remedy": each.check.remedy,
            }
            for each in found
        ],
    }


def _print(done: Sequence[str], found: Sequence[IntegrityFinding]) -> None:
    line(f"{len(done)} namespaces checked")
    if not found:
        line("nothing is wrong")
        return
    rows = [
        (
            each.check.name,
            each.namespace or "the database",
            each.count,
            "\n".join(f"{id_}: {detail}" for id_, detail in each.examples),
            each.check.remedy,
        )
        for each in found
    ]
    print_table(("does not hold", "in", "rows", "such as", "what to do"), rows, right="rows")
