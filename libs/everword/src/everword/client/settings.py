"""Where a client finds Everword, and as whom it calls."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from everword.domain.settings import NO_SECRET, Environment, Secret, SettingError
from everword.embedded.folder import find_running_stack
from everword.embedded.settings import default_data_folder

DEFAULT_ADDRESSES = {
    "ingest": "127.0.0.1:50051",
    "search": "127.0.0.1:50052",
    "compactor": "127.0.0.1:50053",
}


@dataclass(frozen=True)
class ClientSettings:
    """Where a client finds Everword, and as whom it calls."""

    ingest_address: str = DEFAULT_ADDRESSES["ingest"]
    search_address: str = DEFAULT_ADDRESSES["search"]
    compactor_address: str = DEFAULT_ADDRESSES["compactor"]
    api_key: Secret = NO_SECRET
    namespace: str = ""
    """Namespace to work in; for a key that belongs to one, that one. Empty is `default`."""
    tls_ca: Path | None = None
    """PEM file of the authority that signed the servers' certificates; None calls without TLS."""
    timeout_s: float = 30.0
    """Deadline of a call that is given none, its retries included."""

    @classmethod
    def from_environment(cls, environment: Environment | None = None) -> ClientSettings:
        """Read the EVERWORD_* variables; where no address is set, find the stack that runs on this machine."""
        environment = environment or Environment(os.environ)
        addresses = _addresses(environment)
        return cls(
            ingest_address=addresses["ingest"],
            search_address=addresses["search"],
            compactor_address=addresses["compactor"],
            api_key=Secret(environment.text("EVERWORD_API_KEY")),
            namespace=environment.text("EVERWORD_NAMESPACE"),
            tls_ca=environment.file("EVERWORD_TLS_CA"),
        )


def _addresses(environment: Environment) -> dict[str, str]:
    """Return the address of each service: as set, else those of `everword up`, else the usual ports."""
    given = {
        name: environment.text(f"EVERWORD_{name.upper()}_ADDRESS") for name in DEFAULT_ADDRESSES
    }
    # One address that is set means another deployment: what runs on this machine is not mixed in.
    if not any(given.values()):
        given = _running_stack(environment)
    return {name: given.get(name) or default for name, default in DEFAULT_ADDRESSES.items()}


def _running_stack(environment: Environment) -> dict[str, str]:
    folder = Path(environment.text("EVERWORD_DATA") or default_data_folder()).expanduser()
    try:
        stack = find_running_stack(folder)
    except PermissionError as error:
        raise SettingError(
            f"{error.filename} belongs to another user; set EVERWORD_INGEST_ADDRESS, "
            "EVERWORD_SEARCH_ADDRESS and EVERWORD_COMPACTOR_ADDRESS to what `everword up` printed"
        ) from None
    return stack.addresses if stack else {}
