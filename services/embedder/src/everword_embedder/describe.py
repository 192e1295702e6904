"""`python -m everword_embedder.describe`: print the properties of the model at EVERWORD_EMBED_URL as JSON."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import asdict

from everword.domain.settings import Environment, SettingError
from everword_embedder.providers.errors import ProviderError
from everword_embedder.providers.openai.models import ServedModel, describe_model
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.settings import EmbedSettings


async def describe(settings: EmbedSettings) -> ServedModel:
    """Return the served model. Raises ProviderError if the server does not answer, and SettingError."""
    server = OpenAIServer(settings.url, settings)
    try:
        return await describe_model(server, settings.model)
    finally:
        await server.close()


def main() -> None:
    try:
        settings = EmbedSettings.from_environment(Environment(os.environ))
        served = asyncio.run(describe(settings))
    except (SettingError, ProviderError) as error:
        sys.exit(f"everword: {error}")
    print(json.dumps(asdict(served)))


if __name__ == "__main__":
    main()
