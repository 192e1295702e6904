"""Settings of the chat model. docs/reference/settings.md lists every variable."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from everword.domain.settings import NO_SECRET, Environment, Secret
from everword.model_server.endpoint import root_of


@dataclass(frozen=True)
class ChatSettings:
    """Settings of the chat model."""

    url: str = field(repr=False)
    """A server with OpenAI's API, with or without `/v1`."""
    model: str
    api_key: Secret = NO_SECRET
    concurrency: int = 4
    """Requests at once to the server, of one client."""
    read_timeout_s: float = 300.0
    """Seconds for which a server may be silent. Answers are streamed, so one that is being written is not silent."""
    context_tokens: int = 8192
    """Tokens that the model reads at most, input and answer together, where its server does not say."""
    connect_timeout_s: float = 30.0
    pauses_s: tuple[float, ...] = (5.0, 10.0, 15.0)
    """Pauses before the repetitions of a call that the server could not answer."""

    @property
    def root(self) -> str:
        return root_of(self.url, "EVERWORD_CHAT_URL")

    @property
    def endpoint(self) -> str:
        """Host and port of the server; who may ask it stands elsewhere in a URL."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @classmethod
    def from_environment(cls, environment: Environment) -> ChatSettings | None:
        """Return the settings; None where EVERWORD_CHAT_URL is unset. Raises SettingError."""
        url = environment.text("EVERWORD_CHAT_URL")
        if not url:
            return None
        root_of(url, "EVERWORD_CHAT_URL")
        return cls(
            url=url,
            model=environment.required("EVERWORD_CHAT_MODEL"),
            api_key=Secret(environment.text("EVERWORD_CHAT_API_KEY")),
            concurrency=environment.integer("EVERWORD_CHAT_CONCURRENCY", cls.concurrency, 1),
            context_tokens=environment.integer(
                "EVERWORD_CHAT_CONTEXT_TOKENS", cls.context_tokens, 1024
            ),
        )
