"""`everword namespaces delete` and `deletions`: erase a namespace, and see which were erased."""

from __future__ import annotations

import click

from everword.cli.output import json_option, line, print_json, print_table, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import admin_service_pb2 as pb


@click.command()
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Count what would be deleted, and delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--by", default="", help="Record who requested the erasure.")
@json_option
@remote
async def delete(
    client: Client, name: str, dry_run: bool, yes: bool, by: str, as_json: bool
) -> None:
    """Erase a namespace with all its data and keys.

    Run the command again if it was interrupted.
    """
    request = pb.PreviewNamespaceDeletionRequest(name=name)
    preview = await client.admin_service.PreviewNamespaceDeletion(request)
    counts = dict(preview.row_counts)
    if dry_run and as_json:
        print_json(preview)
        return
    if not as_json:
        print_table(("would go", "rows"), sorted(counts.items()))
    if dry_run:
        return
    if not yes:
        rows = f"{sum(counts.values()):,} rows"
        click.confirm(f"Erase {name} and everything in it, {rows}, for good?", abort=True, err=True)
    response = await client.admin_service.DeleteNamespace(
        pb.DeleteNamespaceRequest(name=name, requested_by=by)
    )
    if as_json:
        print_json(response)
    else:
        line(f"{name} is erased: {response.rows_erased} rows")


@click.command()
@click.argument("name", default="")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@json_option
@remote
async def deletions(client: Client, name: str, limit: int, as_json: bool) -> None:
    """List deletions of namespaces, latest first: times and counts, without names and content.

    With NAME, list only deletions of this name.
    """
    request = pb.ListNamespaceDeletionsRequest(namespace=name, page_size=min(limit, PAGE_SIZE))
    found = await list_all(client.admin_service.ListNamespaceDeletions, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.id,
            each.name_hash[:12],
            dict(each.row_counts).get("messages", 0),
            sum(each.row_counts.values()),
            each.requested_by,
            each.api_key_id,
            when(each.request_time),
            when(each.finish_time),
        )
        for each in found.deletions
    ]
    head = ("deletion", "hash of name", "messages", "rows", "by", "key", "begun", "finished")
    print_table(head, rows)
