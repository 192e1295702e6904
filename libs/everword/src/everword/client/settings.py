"""Settings of a client: the addresses of Everword, and the caller."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from everword.client.channel import Tls
from everword.client.local import default_data_folder, running_address
from everword.client.servers import PUBLIC_PORTS

#: The address of `everword up` and `everword proxy`, for all services.
DEFAULT_ADDRESS = "127.0.0.1:50050"


class ClientSettingsError(ValueError):
    """A variable of the environment is wrong; the message has its name and the expected value."""


@dataclass(frozen=True)
class ClientSettings:
    """The services' addresses, the caller's API key and namespace, TLS, and the default deadline."""

    ingest_address: str = DEFAULT_ADDRESS
    search_address: str = DEFAULT_ADDRESS
    compactor_address: str = DEFAULT_ADDRESS
    api_key: str = field(default="", repr=False)
    namespace: str = ""
    """Namespace of the calls; empty for that of the API key, or `default`."""
    tls: Tls | None = None
    """Trusted authority, and the client certificate; None calls without TLS."""
    timeout_s: float = 30.0
    """Default deadline of a call in seconds, including its retries."""

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> ClientSettings:
        """Read the EVERWORD_* variables; without an address, find the stack that runs on this machine.

        Raises ClientSettingsError.
        """
        addresses = _addresses(variables)
        return cls(
            ingest_address=addresses["ingest"],
            search_address=addresses["search"],
            compactor_address=addresses["compactor"],
            api_key=variables.get("EVERWORD_API_KEY", ""),
            namespace=variables.get("EVERWORD_NAMESPACE", ""),
            tls=_tls(variables),
        )

    @classmethod
    def at(cls, address: str) -> ClientSettings:
        """Return the settings for all servers at one address."""
        address = _without_scheme(address)
        return cls(address, address, address)

    def changed(
        self, address: str, api_key: str, namespace: str, timeout_s: float
    ) -> ClientSettings:
        """Return these settings with the given, non-empty values; the address is for all services."""
        return replace(
            self,
            ingest_address=_without_scheme(address) or self.ingest_address,
            search_address=_without_scheme(address) or self.search_address,
            compactor_address=_without_scheme(address) or self.compactor_address,
            api_key=api_key or self.api_key,
            namespace=namespace or self.namespace,
            timeout_s=timeout_s or self.timeout_s,
        )


def _addresses(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the address of each server: its own variable, else the one of all, else what runs on this machine."""
    own = {name: variables.get(f"EVERWORD_{name.upper()}_ADDRESS", "") for name in PUBLIC_PORTS}
    shared = variables.get("EVERWORD_ADDRESS", "")
    # One address that is set means another deployment: what runs on this machine is not mixed in.
    if not shared and not any(own.values()):
        shared = _running_stack(variables)
    return {
        name: _without_scheme(address or shared) or DEFAULT_ADDRESS for name, address in own.items()
    }


def _without_scheme(address: str) -> str:
    """Return an address as `host:port`. Raises ClientSettingsError for `https://`, which needs an authority."""
    if address.startswith("https://"):
        raise ClientSettingsError(
            f"an address is host:port, not {address!r}; set EVERWORD_TLS_CA to call it with TLS"
        )
    return address.removeprefix("http://").rstrip("/")


def _running_stack(variables: Mapping[str, str]) -> str:
    folder = Path(variables.get("EVERWORD_DATA") or default_data_folder()).expanduser()
    try:
        return running_address(folder)
    except PermissionError as error:
        raise ClientSettingsError(
            f"{error.filename} belongs to another user; set EVERWORD_ADDRESS to what `everword up` printed"
        ) from None


def _tls(variables: Mapping[str, str]) -> Tls | None:
    """Return the files of TLS. Without an authority there are none: a certificate alone is a service's."""
    ca = _file(variables, "EVERWORD_TLS_CA")
    if ca is None:
        return None
    certificate = _file(variables, "EVERWORD_TLS_CERT")
    key = _file(variables, "EVERWORD_TLS_KEY")
    if (certificate is None) != (key is None):
        raise ClientSettingsError("EVERWORD_TLS_CERT and EVERWORD_TLS_KEY must be set together")
    return Tls(ca, certificate, key)


def _file(variables: Mapping[str, str], name: str) -> Path | None:
    """Return the file that a variable names; None if unset."""
    path = variables.get(name, "")
    if not path:
        return None
    if not Path(path).is_file():
        raise ClientSettingsError(f"{name} is {path!r}, and there is no such file")
    if not os.access(path, os.R_OK):
        raise ClientSettingsError(f"{name} is {path!r}, which this user may not read")
    return Path(path)
