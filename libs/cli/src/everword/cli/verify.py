"""`everword verify`: whether everything that is stored is sound."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from everword.cli.output import json_option, line, note, print_table, progress
from everword.cli.owner import with_admin_url
from everword.integrity.verify import (
    Finding,
    Namespace,
    Verifier,
    connect,
    count_rows,
    list_namespaces,
)


@click.command()
@click.argument("namespace", default="")
@click.option(
    "--after", metavar="NAME", default="", help="Go on with the namespaces after this one."
)
@json_option
@with_admin_url
def verify(admin_url: str, namespace: str, after: str, as_json: bool) -> None:
    """Check that everything that is stored is sound, in all namespaces or in one.

    Only reads, in short statements. Ends with status 1 where something is found, and says what to do about it.
    """
    found = list[Finding]()
    done = list[str]()
    with connect(admin_url) as conn:
        namespaces = list_namespaces(conn, after)
        if namespace:
            namespaces = [each for each in namespaces if each.name == namespace]
            if not namespaces:
                raise click.ClickException(f"there is no namespace {namespace}")
        verifier = Verifier(conn)
        try:
            if not namespace:
                found += verifier.verify_database()
            for each in namespaces:
                found += _verify_namespace(verifier, each, count_rows(conn, each))
                done.append(each.name)
        except KeyboardInterrupt:
            note(_interrupted(done, after))
    if as_json:
        click.echo(json.dumps(_document(done, found), ensure_ascii=False, indent=2))
    else:
        _print(done, found)
    if found or len(done) < len(namespaces):
        raise click.exceptions.Exit(1)


def _verify_namespace(verifier: Verifier, namespace: Namespace, rows: int) -> list[Finding]:
    with progress() as bar:
        task = bar.add_task(f"checking {namespace.name}", total=rows or None)
        return verifier.verify_namespace(namespace, lambda more: bar.advance(task, more))


def _interrupted(done: Sequence[str], after: str) -> str:
    last = done[-1] if done else after
    return f"not finished: go on with `everword verify{f' --after {last}' if last else ''}`"


def _document(done: Sequence[str], found: Sequence[Finding]) -> dict[str, Any]:
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


def _print(done: Sequence[str], found: Sequence[Finding]) -> None:
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
