"""`everword prices`: what models cost for a million tokens."""

from __future__ import annotations

from pathlib import Path

import click

from everword.cli.output import json_option, line, print_entries, print_json
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.prices.price_list import BadPriceList, Price, PriceList, parse_prices
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb


@click.group()
def prices() -> None:
    """Load and list the prices of models."""


@prices.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@remote
async def load(client: Client, file: Path, as_json: bool) -> None:
    """Replace the loaded prices with those in FILE; requires an admin key.

    Recorded calls keep their cost. docs/limits.md describes the file format.
    """
    found = _read(file)
    request = pb.LoadPricesRequest(
        currency_code=found.currency, prices=[_to_proto(each) for each in found.prices]
    )
    response = await client.cost_service.LoadPrices(request)
    if as_json:
        print_json(response)
    else:
        line(f"{response.prices} prices in {found.currency}")


@prices.command("list")
@json_option
@remote
async def list_(client: Client, as_json: bool) -> None:
    """List the prices of models: loaded prices first, then built-in ones."""
    request = pb.ListPricesRequest(page_size=PAGE_SIZE)
    response = await list_all(client.cost_service.ListPrices, request)
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.model,
            each.provider,
            each.valid_from,
            each.input,
            each.cached_input,
            each.output,
            each.currency_code,
            "" if each.shipped else "loaded",
        )
        for each in response.prices
    ]
    columns = ("model", "provider", "from", "read", "cached", "written", "")
    print_entries(columns, rows, right="read cached written", fold="model provider")


def _read(file: Path) -> PriceList:
    try:
        return parse_prices(file.read_text(encoding="utf-8"))
    except (BadPriceList, OSError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file}: {error}") from error


def _to_proto(price: Price) -> cost_pb2.ModelPrice:
    return cost_pb2.ModelPrice(
        model=price.model,
        provider=price.provider,
        valid_from=price.valid_from.isoformat(),
        input=format(price.input, "f"),
        cached_input="" if price.cached_input is None else format(price.cached_input, "f"),
        output=format(price.output, "f"),
    )
