"""Make the provider that a model generation names."""

from __future__ import annotations

from everword.domain.settings import SettingError
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.generation import LOCAL, OPENAI, ModelGeneration
from everword_embedder.providers.local import LocalProvider
from everword_embedder.providers.local_model import LocalModelHolder
from everword_embedder.providers.openai.provider import OpenAIProvider
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.provider import EmbeddingProvider
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.weights import WeightChoice


class ProviderFactory:
    """Opens providers, and shares one local model among them."""

    def __init__(self, settings: EmbedSettings) -> None:
        self._settings = settings
        self._holder = LocalModelHolder(settings.threads, settings.weights)

    def open(self, generation: ModelGeneration) -> EmbeddingProvider:
        """Return a provider of the generation's vectors; it connects, or loads the model, when it is first used.

        Raises ProviderMisconfigured where the generation or the settings cannot be right.
        """
        if generation.provider == LOCAL:
            return LocalProvider(generation, self._holder)
        if generation.provider == OPENAI:
            return OpenAIProvider(generation, self._server(generation), self._settings)
        raise ProviderMisconfigured(f"there is no embedding provider {generation.provider!r}")

    def describe_local_model(self) -> WeightChoice | None:
        """Return the form of the local model and its speed; None unless the model is loaded."""
        loaded = self._holder.loaded
        return loaded.choice if loaded else None

    def close(self) -> None:
        """Close the shared resources; close the providers themselves first."""
        self._holder.close()

    def _server(self, generation: ModelGeneration) -> OpenAIServer:
        endpoint = generation.endpoint or self._settings.url
        try:
            return OpenAIServer(endpoint, self._settings)
        except SettingError as error:
            raise ProviderMisconfigured(
                f"{error}; set EVERWORD_EMBED_URL, or name the generation's endpoint"
            ) from error
