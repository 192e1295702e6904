"""`everword ls` and `everword cat`: memories by their addresses."""

from __future__ import annotations

import click

from everword.cli.output import json_option, line, print_json, print_table, verbatim, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import list_all
from everword.v1 import address_pb2 as pb
from everword.v1 import memory_pb2


@click.command()
@click.argument("address", default="")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def ls(client: Client, address: str, limit: int, as_json: bool) -> None:
    """List the entries of ADDRESS, such as viking://acme/notes, with abstracts; the namespace by default."""
    request = pb.ListAddressRequest(address=address, page_size=limit)
    found = await list_all(client.search_service.ListAddress, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [(_last_part(each), each.abstract, _time(each)) for each in found.entries]
    print_table(("name", "abstract", "time"), rows)


@click.command()
@click.argument("address")
@click.option(
    "--abstract", "tier", flag_value="ABSTRACT", help="Print an abstract of at most 100 characters."
)
@click.option(
    "--overview", "tier", flag_value="OVERVIEW", help="Print an overview of at most 500 characters."
)
@json_option
@remote
async def cat(client: Client, address: str, tier: str | None, as_json: bool) -> None:
    """Show the memory at ADDRESS; for a directory, its description."""
    requested = memory_pb2.Tier.Value(f"TIER_{tier or 'FULL'}")
    request = pb.ReadAddressRequest(address=address, tier=requested)
    found = await client.search_service.ReadAddress(request)
    if as_json:
        print_json(found)
    elif found.entry.directory:
        line(found.entry.abstract)
    else:
        verbatim(found.memory.content)


def _last_part(entry: pb.AddressEntry) -> str:
    """Return the end of an entry's address as it must be written, with %2F for a slash in a name."""
    name = entry.address.rstrip("/").rpartition("/")[2]
    return f"{name}/" if entry.directory else name


def _time(entry: pb.AddressEntry) -> str:
    return when(entry.occur_time) if entry.HasField("occur_time") else ""
