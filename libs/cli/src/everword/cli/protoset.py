"""`everword protoset`: the interface's description, for tools that know no Python."""

from __future__ import annotations

from importlib.resources import files

import click


@click.command()
def protoset() -> None:
    """Print the path of the protoset, as for: grpcurl -protoset $(everword protoset) …"""
    click.echo(str(files("everword") / "everword.protoset"))
