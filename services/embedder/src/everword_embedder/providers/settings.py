"""Settings of embedding models. docs/reference/settings.md lists every variable."""

from __future__ import annotations

import os
from dataclasses import dataclass

from everword.domain.settings import NO_SECRET, Environment, Secret, SettingError
from everword_embedder.providers.weights import WeightForm


@dataclass(frozen=True)
class EmbedSettings:
    """Settings of embedding models."""

    url: str = ""
    """URL of a server with OpenAI's API, for generations without their own endpoint; empty if there is none."""
    model: str = ""
    """Name of the model on that server; if empty, the server must have exactly one."""
    api_key: Secret = NO_SECRET
    connect_timeout_s: float = 2.0
    read_timeout_s: float = 30.0
    """Seconds without a byte from the server: a suspended server (SIGSTOP) keeps its connections open."""
    batch: int = 32
    """Maximum texts in one request to a server."""
    concurrency: int = 2
    """Maximum concurrent requests of background work to a server."""
    threads: int = min(2, os.cpu_count() or 1)
    """Threads of the local model for background work; at most the number of cores."""

    weights: WeightForm | None = None
    """Form of the local model's weights; None measures which is faster on this processor."""

    @classmethod
    def from_environment(cls, environment: Environment) -> EmbedSettings:
        return cls(
            url=environment.text("EVERWORD_EMBED_URL"),
            model=environment.text("EVERWORD_EMBED_MODEL"),
            api_key=Secret(environment.text("EVERWORD_EMBED_API_KEY")),
            weights=_weights(environment),
        )


def _weights(environment: Environment) -> WeightForm | None:
    text = environment.text("EVERWORD_EMBED_WEIGHTS", "auto")
    if text == "auto":
        return None
    try:
        return WeightForm(text)
    except ValueError:
        raise SettingError(
            f"EVERWORD_EMBED_WEIGHTS is {text!r}; it must be auto, floats or bytes"
        ) from None
