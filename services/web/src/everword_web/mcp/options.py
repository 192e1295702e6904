"""The option that both transports have."""

from __future__ import annotations

import click

from everword.adapters.tools.registry import DEFAULT_SETS, SETS

tools_option = click.option(
    "--tools",
    "names",
    type=click.Choice(tuple(SETS)),
    multiple=True,
    default=DEFAULT_SETS,
    show_default=True,
    help="Set of tools to offer. Repeatable.",
)
