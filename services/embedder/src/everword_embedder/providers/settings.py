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
    """A server with OpenAI's API, for generations that name no endpoint of their own."""
    model: str = ""
    """The model to ask that server for; where empty, the only one it has."""
    api_key: Secret = NO_SECRET
    connect_timeout_s: float = 2.0
    read_timeout_s: float = 30.0
    """Seconds for which a server may be silent. A server that is stopped answers nothing more and closes nothing."""
    batch: int = 32
    """Texts in one request to a server."""
    concurrency: int = 2
    """Requests at once to a server for what nobody waits for."""
    threads: int = min(2, os.cpu_count() or 1)
    """Threads of the model in this process for what nobody waits for; never more than there are cores."""

    weights: WeightForm | None = None
    """Form of the local model's weights; None: the faster one on this processor, as measured."""

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
