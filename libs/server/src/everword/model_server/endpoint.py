"""The address of a server with OpenAI's API."""

from __future__ import annotations

from urllib.parse import urlsplit

from everword.domain.settings import SettingError

_ROUTES = ("/embeddings", "/chat/completions", "/v1")


def root_of(endpoint: str, name: str) -> str:
    """Return the root of a server, which people give with or without `/v1`.

    Raises SettingError where `endpoint` is no URL; the message calls it `name`.
    """
    parts = urlsplit(endpoint)
    try:
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, or beyond what ports there are
        usable = False
    if not usable:
        raise SettingError(
            f"{name} is {endpoint!r}; it must be a URL, such as http://localhost:8000/v1"
        )
    path = parts.path.rstrip("/")
    for route in _ROUTES:
        path = path.removesuffix(route)
    return parts._replace(path=path, query="", fragment="").geturl()
