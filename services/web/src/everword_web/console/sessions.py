"""API keys of visitors. Each is kept in its visitor's cookie alone, which only this process can read."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

from cryptography.fernet import Fernet, InvalidToken
from starlette.requests import Request
from starlette.responses import Response

from everword.client.headers import KEY_HEADER, NAMESPACE_HEADER

COOKIE = "everword_console"
#: After which a visitor has to sign in again.
LASTS_S = 12 * 3600


@dataclass(frozen=True)
class Credentials:
    """The key and namespace of a visitor's calls to Everword."""

    api_key: str = field(default="", repr=False)
    namespace: str = ""
    """The namespace that was asked for, where the key opens several."""

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The headers to call with."""
        headers = []
        if self.api_key:
            headers.append((KEY_HEADER, f"Bearer {self.api_key}"))
        if self.namespace:
            headers.append((NAMESPACE_HEADER, self.namespace))
        return tuple(headers)


class Sessions:
    """Credentials as cookies, encrypted by a key of this process: after a restart, visitors sign in again."""

    def __init__(self) -> None:
        self._box = Fernet(Fernet.generate_key())
        self._signature = secrets.token_bytes(32)

    def find(self, request: Request) -> Credentials | None:
        """Return the credentials of a visitor; None if there are none or they have expired."""
        try:
            text = self._box.decrypt(request.cookies.get(COOKIE, "").encode(), ttl=LASTS_S)
        except InvalidToken:
            return None
        return Credentials(**json.loads(text))

    def begin(self, request: Request, response: Response, credentials: Credentials) -> None:
        """Give the visitor a cookie."""
        response.set_cookie(
            COOKIE,
            self._box.encrypt(json.dumps(asdict(credentials)).encode()).decode(),
            max_age=LASTS_S,
            httponly=True,
            samesite="strict",
            # Behind a proxy that ends TLS, only the browser's own word says that there is some.
            secure=urlsplit(request.headers.get("origin", "")).scheme == "https",
        )

    def end(self, response: Response) -> None:
        """Take the cookie back."""
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")

    def token(self, request: Request) -> str:
        """Return what forms of this visitor's pages carry, and no other page can know."""
        cookie = request.cookies.get(COOKIE, "").encode()
        return hmac.new(self._signature, cookie, hashlib.sha256).hexdigest()

    def is_token(self, request: Request, given: str) -> bool:
        """Return whether a form comes from a page of this visitor's current session."""
        return hmac.compare_digest(self.token(request).encode(), given.encode())
