"""An embedder loads the model for other languages with the first text that needs it, and from then on at its start."""

from __future__ import annotations

import pytest

from everword_embedder.providers import local_model
from everword_embedder.providers.local_model import E5, NAME, load_model
from everword_embedder.providers.onnx_model import LocalModel
from everword_embedder.providers.weights import WeightForm
from support.background import embed_everything
from support.calls import append
from support.databases import DatabaseUnderTest
from support.stack import running_stack


async def test_model_for_other_languages_is_loaded_at_start_once_it_was_needed(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    def load(form: WeightForm | None = None, name: str = NAME) -> LocalModel:
        loaded.append(name)
        return load_model(form, name)

    monkeypatch.setattr(local_model, "load_model", load)
    async with running_stack(database) as stack:
        await append(stack, "The ferry to the island was cancelled because of the storm.")
        await embed_everything(stack)
    async with running_stack(database) as stack:
        assert loaded == [NAME, NAME]
        await append(stack, "Die Fähre zur Insel fiel gestern wegen des Sturms aus.")
        await embed_everything(stack)
    loaded.clear()
    async with running_stack(database):
        assert loaded == [NAME, E5]
