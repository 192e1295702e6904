"""Make the provider for a model generation."""

from __future__ import annotations

from functools import partial

from everword.domain.settings import SettingError
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.folder_model import load_folder_model
from everword_embedder.providers.generation import LOCAL, OPENAI, ModelGeneration
from everword_embedder.providers.local import LocalProvider
from everword_embedder.providers.local_model import (
    PACKAGED_MODELS,
    LoadedModel,
    LocalModelHolder,
    load_packaged,
)
from everword_embedder.providers.multilingual_model import MultilingualModel
from everword_embedder.providers.openai.provider import OpenAIProvider, ServerState
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.provider import EmbeddingProvider
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.weights import WeightChoice


class ProviderFactory:
    """Opens providers, and shares the packaged model among its generations."""

    def __init__(self, settings: EmbedSettings) -> None:
        self._settings = settings
        #: Keys are generation ids, or names of packaged models.
        self._holders: dict[int | str, LocalModelHolder] = {}
        self._served: dict[int, OpenAIProvider] = {}

    def open(self, generation: ModelGeneration) -> EmbeddingProvider:
        """Return the provider of a generation. It connects to its server, or loads its model, at the first use.

        Raises ProviderMisconfigured if the generation or the settings are invalid.
        """
        if generation.provider == LOCAL:
            return LocalProvider(generation, self._holder(generation))
        if generation.provider == OPENAI:
            served = OpenAIProvider(generation, self._server(generation), self._settings)
            return self._served.setdefault(generation.id, served)
        raise ProviderMisconfigured(f"there is no embedding provider {generation.provider!r}")

    def describe_local_model(self, generation: ModelGeneration) -> WeightChoice | None:
        """Return the form of a generation's local model and its speed; None unless the model is loaded."""
        loaded = self._loaded(generation)
        return loaded.choice if loaded else None

    def has_loaded_other_languages(self, generation: ModelGeneration) -> bool:
        """Return whether a generation's local model has loaded its part for texts that are not English."""
        loaded = self._loaded(generation)
        return isinstance(loaded, MultilingualModel) and loaded.has_loaded_other

    def describe_server(self, generation: ModelGeneration) -> ServerState | None:
        """Return the state of a generation's server; None for a local model, and before the first request."""
        served = self._served.get(generation.id)
        return served.describe() if served else None

    def unload(self, generation: ModelGeneration) -> None:
        """Free the memory of a generation's local model."""
        if generation.provider == LOCAL and (holder := self._holders.get(_key(generation))):
            holder.unload()

    def close(self) -> None:
        """Close the shared resources; close the providers themselves first."""
        for holder in self._holders.values():
            holder.close()

    def _loaded(self, generation: ModelGeneration) -> LoadedModel | None:
        holder = self._holders.get(_key(generation))
        return holder.loaded if holder and generation.provider == LOCAL else None

    def _holder(self, generation: ModelGeneration) -> LocalModelHolder:
        if not generation.endpoint and generation.model not in PACKAGED_MODELS:
            names = " and ".join(PACKAGED_MODELS)
            raise ProviderMisconfigured(f"the packaged models are {names}, not {generation.model}")
        key = _key(generation)
        if key not in self._holders:
            load = (
                partial(load_folder_model, generation)
                if generation.endpoint
                else partial(load_packaged, generation.model, self._settings.weights)
            )
            self._holders[key] = LocalModelHolder(self._settings.threads, load)
        return self._holders[key]

    def _server(self, generation: ModelGeneration) -> OpenAIServer:
        endpoint = generation.endpoint or self._settings.url
        try:
            return OpenAIServer(endpoint, self._settings)
        except SettingError as error:
            raise ProviderMisconfigured(
                f"{error}; set EVERWORD_EMBED_URL, or name the generation's endpoint"
            ) from error


def _key(generation: ModelGeneration) -> int | str:
    return generation.id if generation.endpoint else generation.model
