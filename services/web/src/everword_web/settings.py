"""Settings of the HTTP servers: their own addresses, and the addresses of the services."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

import click

from everword.client import ClientSettings, ClientSettingsError

_THIS_MACHINE = "127.0.0.1"


@dataclass(frozen=True)
class Address:
    """A host and a port to listen on."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Return the address in `HOST:PORT`, or in `PORT` alone, which is a port of the loopback interface.

        Raises ValueError for any other text.
        """
        host, _, port = text.rpartition(":")
        if not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"{text!r} is not HOST:PORT")
        return cls(host.strip("[]") or _THIS_MACHINE, int(port))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine reaches the address."""
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False


#: Default address of each server, by the name of its option.
ADDRESSES = {
    "gateway": Address(_THIS_MACHINE, 50056),
    "mcp": Address(_THIS_MACHINE, 50055),
    "console": Address(_THIS_MACHINE, 50057),
}


def read_client_settings() -> ClientSettings:
    """Return how to reach the services, from the environment. Raises ClickException for a wrong value."""
    try:
        return ClientSettings.from_environment()
    except ClientSettingsError as error:
        raise click.ClickException(str(error)) from None
