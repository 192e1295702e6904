"""Costs as a table with a bar in each row."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from rich.text import Text

from everword.cli.output import print_table
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb

#: The longest bar, in characters.
WIDTH = 30
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


def print_costs(
    columns: tuple[str, ...], rows: Sequence[tuple[tuple[object, ...], pb.CostGroup]]
) -> None:
    """Print cost groups as a table with a bar each; bars show money, or tokens if no group has a cost."""
    priced = any(group.costs for _, group in rows)
    sizes = [_money_of(group) if priced else _tokens_of(group) for _, group in rows]
    longest = max(sizes, default=Decimal(0))
    cells = [
        (
            *names,
            group.calls,
            f"{group.input_tokens:,}",
            f"{group.output_tokens:,}",
            money(group.costs),
            group.unpriced_calls or "",
            Text(bar(size, longest)),
        )
        for (names, group), size in zip(rows, sizes, strict=True)
    ]
    print_table(
        (*columns, "calls", "read", "written", "cost", "unpriced", ""),
        cells,
        right="calls read written cost unpriced",
    )


def money(costs: Sequence[cost_pb2.Money]) -> str:
    """Return amounts as people read them, to the last digit."""
    return ", ".join(f"{each.amount} {each.currency_code}" for each in costs)


def bar(size: Decimal, longest: Decimal) -> str:
    """Return a bar with the length of `size` relative to `longest`."""
    if not longest:
        return ""
    whole, eighths = divmod(round(size / longest * WIDTH * 8), 8)
    return "█" * whole + _EIGHTHS[eighths]


def _money_of(group: pb.CostGroup) -> Decimal:
    # Amounts in different currencies cannot be compared: bars are of the first.
    return Decimal(group.costs[0].amount) if group.costs else Decimal(0)


def _tokens_of(group: pb.CostGroup) -> Decimal:
    return Decimal(group.input_tokens + group.output_tokens)
