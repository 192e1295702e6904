"""Lists of prices as files: TOML, a currency for the whole list, and prices for a million tokens."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from typing import Any

_LIST_KEYS = frozenset({"as_of", "currency", "prices"})
_KEYS = frozenset({"provider", "models", "valid_from", "input", "cached_input", "output"})
_LEAST, _MOST = Decimal(0), Decimal(10) ** 12


class BadPriceList(Exception):
    """The file is no list of prices; the message says where and why."""


@dataclass(frozen=True)
class Price:
    """The price of a model from a day on, for a million tokens."""

    model: str
    provider: str
    valid_from: date
    input: Decimal
    #: None if cached tokens cost the same as others.
    cached_input: Decimal | None
    output: Decimal


@dataclass(frozen=True)
class PriceList:
    """Prices in one currency."""

    #: The day on which the list held.
    as_of: str
    currency: str
    prices: tuple[Price, ...]


def shipped_prices() -> PriceList:
    """Return the list that comes with Everword."""
    return parse_prices(
        files("everword.prices").joinpath("prices.toml").read_text(encoding="utf-8")
    )


def parse_prices(text: str) -> PriceList:
    """Return the price list in a file. Raises BadPriceList."""
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise BadPriceList(f"it is not TOML: {error}") from error
    currency = document.get("currency")
    if not isinstance(currency, str) or not (currency.isascii() and currency.isupper()):
        raise BadPriceList('name the currency of the list first, such as currency = "USD"')
    if unknown := sorted(set(document) - _LIST_KEYS):
        raise BadPriceList(f"there is no {unknown[0]}: begin each entry with a line [[prices]]")
    entries = document.get("prices", [])
    if not isinstance(entries, list):
        raise BadPriceList("begin each entry with a line [[prices]]")
    prices = tuple(
        price for number, entry in enumerate(entries, 1) for price in _prices(entry, number)
    )
    seen: set[tuple[str, str, date]] = set()
    for price in prices:
        key = (price.model, price.provider, price.valid_from)
        if key in seen:
            raise BadPriceList(f"{price.model} has two prices from {price.valid_from} on")
        seen.add(key)
    return PriceList(str(document.get("as_of", "")), currency, prices)


def _prices(entry: Any, number: int) -> Iterator[Price]:
    where = f"entry {number}"
    if not isinstance(entry, dict):
        raise BadPriceList("begin each entry with a line [[prices]]")
    if unknown := sorted(set(entry) - _KEYS):
        raise BadPriceList(f"{where}: there is no {unknown[0]}")
    models = entry.get("models")
    if not isinstance(models, list) or not all(isinstance(each, str) and each for each in models):
        raise BadPriceList(f'{where}: name the models, such as models = ["gpt-5"]')
    cached = _amount(entry, "cached_input", where) if "cached_input" in entry else None
    for model in models:
        yield Price(
            model,
            str(entry.get("provider", "")),
            _day(entry, where),
            _amount(entry, "input", where),
            cached,
            _amount(entry, "output", where),
        )


def _amount(entry: Mapping[str, Any], key: str, where: str) -> Decimal:
    try:
        amount = Decimal(entry[key])
    except (KeyError, TypeError, ValueError, InvalidOperation) as error:
        raise BadPriceList(f'{where}: {key} must be a decimal number, such as "0.25"') from error
    if not amount.is_finite() or not _LEAST <= amount < _MOST:
        raise BadPriceList(f"{where}: {key} is out of range")
    return amount


def _day(entry: Mapping[str, Any], where: str) -> date:
    day = entry.get("valid_from")
    try:
        return day if isinstance(day, date) else date.fromisoformat(str(day))
    except ValueError as error:
        raise BadPriceList(f'{where}: valid_from must be a day, such as "2026-04-18"') from error
