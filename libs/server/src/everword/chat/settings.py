"""Settings of the chat model. docs/reference/settings.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from everword.domain.settings import NO_SECRET, Environment, Secret, SettingError
from everword.model_server.endpoint import root_of


@dataclass(frozen=True)
class ChatSettings:
    """Settings of the chat model."""

    url: str = field(repr=False)
    """URL of a server with OpenAI's API, with or without `/v1`."""
    model: str
    api_key: Secret = NO_SECRET
    concurrency: int = 4
    """Maximum concurrent requests of one client to the server."""
    read_timeout_s: float = 600.0
    """Seconds without a byte from the server. Answers are streamed, so a slow answer does not exceed it. Reading 8,000
    tokens takes a CPU minutes, and servers that refuse to stream send nothing before the whole answer."""
    context_tokens: int | None = None
    """Maximum tokens of a request, input and output together. None: the size that the server reports, or that is known
    of the model."""
    connect_timeout_s: float = 30.0
    """Seconds for opening a connection."""
    pauses_s: tuple[float, ...] = (5.0, 10.0, 15.0)
    """Seconds before each retry of a failed call."""

    @property
    def root(self) -> str:
        return root_of(self.url, "EVERWORD_CHAT_URL")

    @property
    def endpoint(self) -> str:
        """Host and port of the server, without credentials."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @classmethod
    def from_environment(cls, environment: Environment) -> ChatSettings | None:
        """Return the settings; None if EVERWORD_CHAT_URL is unset. Raises SettingError."""
        url = environment.text("EVERWORD_CHAT_URL")
        if not url:
            return None
        root_of(url, "EVERWORD_CHAT_URL")
        key = Secret(environment.text("EVERWORD_CHAT_API_KEY"))
        return cls._of(environment, url, environment.required("EVERWORD_CHAT_MODEL"), key)

    @classmethod
    def small_from_environment(cls, environment: Environment) -> ChatSettings | None:
        """Return the settings of the small model; those of the chat model if none is set.

        A server on another host does not get the chat server's API key. Raises SettingError.
        """
        url = environment.text("EVERWORD_CHAT_SMALL_URL")
        model = environment.text("EVERWORD_CHAT_SMALL_MODEL")
        chat = cls.from_environment(environment)
        if not url:
            if model and chat is None:
                raise SettingError(
                    "EVERWORD_CHAT_SMALL_MODEL needs EVERWORD_CHAT_SMALL_URL or EVERWORD_CHAT_URL"
                )
            return replace(chat, model=model) if model and chat else chat
        root_of(url, "EVERWORD_CHAT_SMALL_URL")
        model = environment.required("EVERWORD_CHAT_SMALL_MODEL")
        is_same = chat is not None and urlsplit(chat.url)[:2] == urlsplit(url)[:2]
        return cls._of(environment, url, model, chat.api_key if chat and is_same else NO_SECRET)

    @classmethod
    def _of(cls, environment: Environment, url: str, model: str, api_key: Secret) -> ChatSettings:
        return cls(
            url=url,
            model=model,
            api_key=api_key,
            concurrency=environment.integer("EVERWORD_CHAT_CONCURRENCY", cls.concurrency, 1),
            read_timeout_s=environment.integer(
                "EVERWORD_CHAT_READ_TIMEOUT_S", max(1, round(cls.read_timeout_s)), 1
            ),
            context_tokens=environment.integer("EVERWORD_CHAT_CONTEXT_TOKENS", 1024, 1024)
            if environment.text("EVERWORD_CHAT_CONTEXT_TOKENS")
            else None,
        )
