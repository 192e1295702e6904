"""`python -m everword_embedder.describe REQUEST`: print the properties of a model as JSON.

REQUEST is a JSON object with the fields of ModelRequest. The command line runs it as a process, before a model becomes
a generation. Downloads show their progress on standard error.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from everword.domain.settings import Environment, SettingError
from everword_embedder.providers.configuration import ModelConfiguration, Pooling
from everword_embedder.providers.errors import ProviderError, ProviderMisconfigured
from everword_embedder.providers.factory import ProviderFactory
from everword_embedder.providers.folder_model import open_folder
from everword_embedder.providers.generation import LOCAL, OPENAI, ModelGeneration
from everword_embedder.providers.hub import download, is_hub_name
from everword_embedder.providers.known_prefixes import Prefixes, known_prefixes
from everword_embedder.providers.local_model import PACKAGED_MODELS
from everword_embedder.providers.model_folder import ModelFolder, read_folder
from everword_embedder.providers.openai.models import describe_model
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.trial import Trial, try_model


@dataclass(frozen=True)
class ModelRequest:
    """A model, and the properties that are set instead of read. Empty fields are read from the model."""

    #: A folder, OWNER/NAME on a model hub, the name of a packaged model, or a model's name at `url`.
    model: str = ""
    #: URL of an OpenAI-compatible server; empty for a local model.
    url: str = ""
    #: Path of the ONNX file in the folder.
    weights: str = ""
    pooling: str = ""
    max_tokens: int | None = None
    dimensions: int | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    #: Embed some texts with it; never with the packaged model.
    tried: bool = True


@dataclass(frozen=True)
class DescribedModel:
    """A model that can be made a generation of."""

    provider: str
    model: str
    endpoint: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    matryoshka: bool = False
    weights: str = ""
    files_sha256: str = ""
    pooling: str = Pooling.MEAN
    max_tokens: int | None = None
    size_bytes: int | None = None
    languages: tuple[str, ...] = ()
    trial: Trial | None = None


async def describe(request: ModelRequest, settings: EmbedSettings) -> DescribedModel:
    """Return the properties of a model. Raises ProviderError with what to do, and SettingError."""
    if request.url:
        found = await _served(request, settings)
    elif request.model in PACKAGED_MODELS:
        found = _packaged(request)
    else:
        found = await asyncio.to_thread(_of_folder, request)
    found = _shortened(found, request.dimensions)
    # The packaged model is verified whenever it is loaded, and its files may be on the embedder's machine only.
    if not request.tried or not found.endpoint:
        return found
    factory = ProviderFactory(settings)
    provider = factory.open(_generation(found))
    try:
        configuration = ModelConfiguration(
            found.dimensions,
            found.max_tokens or 0,
            query_prefix=found.query_prefix,
            passage_prefix=found.passage_prefix,
        )
        return replace(found, trial=await try_model(provider, configuration))
    finally:
        await provider.close()
        factory.close()


async def _served(request: ModelRequest, settings: EmbedSettings) -> DescribedModel:
    server = OpenAIServer(request.url, settings)
    try:
        named = settings.model if request.url == settings.url else ""
        served = await describe_model(server, request.model or named)
    finally:
        await server.close()
    query, passage = _prefixes(request, known_prefixes(served.model) or Prefixes())
    return DescribedModel(
        OPENAI,
        served.model,
        request.url,
        served.dimensions,
        query,
        passage,
        max_tokens=served.max_tokens,
    )


def _packaged(request: ModelRequest) -> DescribedModel:
    settings = (request.weights, request.pooling, request.max_tokens, request.query_prefix)
    if any(settings) or request.passage_prefix:
        raise ProviderMisconfigured(
            f"{request.model} is a packaged model, whose weights, pooling, tokens and prefixes are fixed; "
            "give a folder or OWNER/NAME to set them"
        )
    model = PACKAGED_MODELS[request.model]
    found = model.configuration
    return DescribedModel(
        LOCAL,
        request.model,
        "",
        found.dimensions,
        found.query_prefix,
        found.passage_prefix,
        size_bytes=model.size_bytes,
        languages=model.languages,
    )


def _of_folder(request: ModelRequest) -> DescribedModel:
    folder = Path(request.model).expanduser()
    if not folder.is_dir():
        if not is_hub_name(request.model):
            raise ProviderMisconfigured(
                f"{request.model} is neither a folder nor OWNER/NAME of a model on a hub; the packaged models are "
                f"{' and '.join(PACKAGED_MODELS)}"
            )
        folder = download(request.model, request.weights)
    name = request.model if is_hub_name(request.model) else folder.resolve().name
    found = read_folder(folder.absolute(), name, request.weights)
    if request.max_tokens and request.max_tokens > found.max_tokens:
        raise ProviderMisconfigured(
            f"the model reads {found.max_tokens} tokens; --max-tokens cannot be more"
        )
    query, passage = _prefixes(request, found.prefixes)
    files_sha256 = found.files_sha256()
    max_tokens = request.max_tokens or found.max_tokens
    pooling, dimensions = _probed(found, request, max_tokens, files_sha256)
    return DescribedModel(
        LOCAL,
        name,
        str(found.folder),
        dimensions,
        query,
        passage,
        weights=found.weights,
        files_sha256=files_sha256,
        pooling=pooling,
        max_tokens=max_tokens,
        size_bytes=found.size_bytes,
        languages=found.languages,
    )


def _probed(
    found: ModelFolder, request: ModelRequest, max_tokens: int, files_sha256: str
) -> tuple[Pooling, int]:
    """Return the pooling and the dimensions of a model; a graph that pools itself is preferred.

    Such a graph has all modules of the model, of which only some are supported here.
    """
    read = [Pooling.GRAPH, found.pooling or Pooling.MEAN]
    tried = [Pooling(request.pooling)] if request.pooling else read
    for pooling in tried:
        if pooling is not Pooling.GRAPH and found.unsupported_module:
            raise ProviderMisconfigured(
                f"{found.folder}/modules.json names the module {found.unsupported_module}, which is not supported; "
                "serve the model with an OpenAI-compatible server instead, and add that with --url"
            )
        try:
            opened = open_folder(found, ModelConfiguration(1, max_tokens, pooling), files_sha256)
            break
        except ProviderMisconfigured:
            if pooling is tried[-1]:
                raise
    [embedded] = opened.embed(["hello"])
    return pooling, len(embedded.vector)


def _prefixes(request: ModelRequest, read: Prefixes) -> tuple[str, str]:
    """Return the prefixes of questions and passages: those of the request if it names any."""
    return (
        read.query if request.query_prefix is None else request.query_prefix,
        read.passage if request.passage_prefix is None else request.passage_prefix,
    )


def _shortened(found: DescribedModel, dimensions: int | None) -> DescribedModel:
    if dimensions is None or dimensions == found.dimensions:
        return found
    if dimensions > found.dimensions:
        raise ProviderMisconfigured(
            f"the model's vectors have {found.dimensions} dimensions; --dimensions cannot be more"
        )
    return replace(found, dimensions=dimensions, matryoshka=True)


def _generation(found: DescribedModel) -> ModelGeneration:
    return ModelGeneration(
        id=1,
        provider=found.provider,
        endpoint=found.endpoint,
        model=found.model,
        dimensions=found.dimensions,
        matryoshka=found.matryoshka,
        query_prefix=found.query_prefix,
        passage_prefix=found.passage_prefix,
        weights=found.weights,
        files_sha256=found.files_sha256,
        pooling=found.pooling,
        max_tokens=found.max_tokens,
    )


def main() -> None:
    try:
        settings = EmbedSettings.from_environment(Environment(os.environ))
        request = ModelRequest(**json.loads(sys.argv[1]))
        found = asyncio.run(describe(request, settings))
    except (SettingError, ProviderError) as error:
        # On standard output, since standard error has the progress of downloads.
        print(json.dumps({"error": str(error)}))
        sys.exit(1)
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
