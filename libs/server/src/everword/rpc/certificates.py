"""The certificate that a server shows. Its files may be replaced while it runs."""

from __future__ import annotations

import logging
import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from everword.domain.settings import SettingError
from everword.rpc.settings import TlsSettings

log = logging.getLogger(__name__)
_Stamps = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True)
class _Pems:
    """The contents of the certificate files."""

    certificate: bytes
    key: bytes
    client_ca: bytes | None

    @classmethod
    def read(cls, tls: TlsSettings) -> _Pems:
        """Read the files. Raises OSError if one is unreadable, and ValueError if they do not match."""
        pems = cls._bytes(tls)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            # It takes paths alone. The password keeps it from asking for one on the terminal.
            context.load_cert_chain(tls.certificate, tls.key, password="")
            if pems.client_ca is not None:
                context.load_verify_locations(cadata=pems.client_ca.decode("ascii"))
        except (ssl.SSLError, UnicodeDecodeError) as error:
            raise ValueError(str(error)) from error
        if cls._bytes(tls) != pems:
            raise ValueError("the files are being written")
        return pems

    @classmethod
    def _bytes(cls, tls: TlsSettings) -> _Pems:
        authority = tls.client_ca.read_bytes() if tls.client_ca else None
        return cls(tls.certificate.read_bytes(), tls.key.read_bytes(), authority)

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        return grpc.ssl_server_certificate_configuration(
            [(self.key, self.certificate)], root_certificates=self.client_ca
        )


class Certificates:
    """Credentials that follow their files: new connections use the new content, and open ones continue.

    Files that do not match, such as while they are being replaced, change nothing.
    """

    def __init__(self, tls: TlsSettings) -> None:
        self._tls = tls
        self._files = [path for path in (tls.certificate, tls.key, tls.client_ca) if path]
        self._seen: _Stamps = ()

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials to listen with. Raises SettingError if the files are invalid at the start."""
        self._seen = self._stamps()
        try:
            first = _Pems.read(self._tls)
        except (OSError, ValueError) as error:
            raise SettingError(
                "EVERWORD_TLS_CERT, EVERWORD_TLS_KEY and EVERWORD_TLS_CLIENT_CA are not a certificate with its key: "
                f"{error}"
            ) from error
        return grpc.dynamic_ssl_server_credentials(
            first.configuration(),
            self._changed,  # type: ignore[arg-type]  # the stubs forget that None is no change
            require_client_authentication=self._tls.client_ca is not None,
        )

    def _changed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new configuration; None if nothing has changed. gRPC asks before each handshake."""
        stamps = self._stamps()
        if stamps == self._seen:
            return None
        self._seen = stamps
        try:
            pems = _Pems.read(self._tls)
        except (OSError, ValueError) as error:
            log.warning(
                "new certificate not loaded, keeping the old one",
                extra={"certificate": str(self._tls.certificate), "error": str(error)},
            )
            return None
        log.info("certificate replaced", extra={"certificate": str(self._tls.certificate)})
        return pems.configuration()

    def _stamps(self) -> _Stamps:
        return tuple(map(_stamp, self._files))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return values that change with a file; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
