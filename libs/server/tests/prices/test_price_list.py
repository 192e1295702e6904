"""Price lists: valid ones, and the errors of invalid ones."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from everword.prices.price_list import BadPriceList, parse_prices, shipped_prices

ENTRY = 'models = ["m"]\nvalid_from = "2026-01-02"\ninput = "0.1"\noutput = 2\n'


def listed(*entries: str, currency: str = "USD") -> str:
    return f'currency = "{currency}"\n' + "".join(f"[[prices]]\n{entry}" for entry in entries)


def test_parse_prices_reads_text_and_numbers_as_exact_decimals() -> None:
    [price] = parse_prices(listed(ENTRY.replace('"0.1"', "0.1"))).prices
    assert (price.input, price.output) == (Decimal("0.1"), Decimal(2))
    assert (price.cached_input, price.valid_from) == (None, date(2026, 1, 2))


def test_shipped_price_list_has_a_date_and_each_model_once() -> None:
    shipped = shipped_prices()
    assert date.fromisoformat(shipped.as_of)
    assert shipped.currency == "USD"
    assert len({each.model for each in shipped.prices}) == len(shipped.prices)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("prices", "not TOML"),
        ("", "currency"),
        (listed(currency="dollars"), "currency"),
        ('currency = "USD"\nprices = 3', r"\[\[prices\]\]"),
        (listed(ENTRY).replace("[[prices]]", "[[price]]"), r"no price: .*\[\[prices\]\]"),
        (listed(ENTRY, ENTRY), "m has two prices"),
        (listed(ENTRY.replace("input", "inputs")), "entry 1: there is no inputs"),
        (listed(ENTRY, ENTRY.replace('["m"]', "3")), "entry 2: name the models"),
        (listed(ENTRY.replace('"0.1"', '"-1"')), "input is out of range"),
        (listed(ENTRY.replace('"0.1"', "nan")), "input is out of range"),
        (listed(ENTRY.replace('"0.1"', '"much"')), "input must be a decimal"),
        (listed(ENTRY.replace("2026-01-02", "soon")), "valid_from must be a day"),
    ],
)
def test_parse_prices_names_the_place_of_an_error(text: str, complaint: str) -> None:
    with pytest.raises(BadPriceList, match=complaint):
        parse_prices(text)
