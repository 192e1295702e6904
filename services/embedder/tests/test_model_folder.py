"""Models of folders: read from their files, run, and refused with advice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from everword_embedder.describe import ModelRequest, describe
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.factory import ProviderFactory
from everword_embedder.providers.generation import LOCAL, ModelGeneration
from everword_embedder.providers.known_prefixes import Prefixes, known_prefixes, prompts_of
from everword_embedder.providers.local_model import load_model
from everword_embedder.providers.model_folder import read_folder
from everword_embedder.providers.settings import EmbedSettings
from support.minilm import cosine
from support.model_folders import DIMENSIONS, VOCABULARY, embeddings, write_minilm, write_tiny_model

SETTINGS = EmbedSettings(threads=1)


@pytest.fixture(autouse=True)
def _measures_into_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


async def embedded(request: ModelRequest, *texts: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return the vectors that a generation of the described model gives."""
    found = await describe(request, SETTINGS)
    generation = ModelGeneration(
        id=2,
        provider=LOCAL,
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
    factory = ProviderFactory(SETTINGS)
    try:
        return await factory.open(generation).embed(list(texts))
    finally:
        factory.close()


@pytest.mark.parametrize(
    ("pooling", "words"),
    [("mean", ["[CLS]", "green", "tea"]), ("cls", ["[CLS]"]), ("last", ["tea"])],
)
async def test_pooling_of_the_folder_decides_the_vector(
    tmp_path: Path, pooling: str, words: list[str]
) -> None:
    folder = write_tiny_model(tmp_path / "tiny", pooling)
    # The second text is longer: the first is padded if they are in one batch.
    [vector, _] = await embedded(
        ModelRequest(str(folder), tried=False), "green tea", "Anna lives in Lisbon now"
    )
    rows = embeddings()[[VOCABULARY.index(word) for word in words]]
    assert cosine(vector, rows.mean(axis=0)) == pytest.approx(1, abs=1e-5)


async def test_describe_reads_the_configuration_and_tries_the_model(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "tiny")
    found = await describe(ModelRequest(str(folder)), SETTINGS)
    assert (found.model, found.dimensions, found.max_tokens) == ("tiny", DIMENSIONS, 32)
    assert (found.query_prefix, found.passage_prefix) == ("query: ", "passage: ")
    assert (found.languages, found.weights) == (("en", "de"), "onnx/model.onnx")
    assert found.size_bytes == sum(file.stat().st_size for file in read_folder(folder).files)
    assert found.trial is not None
    assert found.trial.answer_cosine > found.trial.other_cosine
    assert found.trial.question_ms > 0
    set_by_options = ModelRequest(
        str(folder), max_tokens=8, dimensions=4, query_prefix="", pooling="cls", tried=False
    )
    found = await describe(set_by_options, SETTINGS)
    assert (found.max_tokens, found.dimensions, found.matryoshka) == (8, 4, True)
    assert (found.query_prefix, found.passage_prefix, found.pooling) == ("", "passage: ", "cls")


async def test_minilm_as_a_folder_gives_the_vectors_of_the_packaged_model(tmp_path: Path) -> None:
    folder = write_minilm(tmp_path / "minilm")
    texts = ["Where did I put the keys?", "Ich hätte gern einen Kaffee, bitte. ☕", "word " * 400]
    vectors = await embedded(ModelRequest(str(folder)), *texts)
    for vector, packaged in zip(vectors, load_model().embed(texts), strict=True):
        assert cosine(vector, packaged.vector) >= 0.999


BROKEN = [
    ("config.json", None, "has no config.json: give the folder"),
    ("tokenizer.json", None, r"has no tokenizer.json; write it with Python: .*AutoTokenizer"),
    ("onnx/model.onnx", None, r"has no weights in ONNX .*SentenceTransformer\(.*backend='onnx'"),
    ("onnx/model.onnx", b"no graph", "model.onnx cannot be loaded"),
    ("modules.json", b"{", "modules.json cannot be read as JSON"),
    (
        "modules.json",
        b'[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]',
        "names the module Dense, which is not supported; serve the model",
    ),
    (
        "1_Pooling/config.json",
        b'{"pooling_mode_max_tokens": true}',
        "asks for the pooling pooling_mode_max_tokens; mean, cls and lasttoken are supported",
    ),
]


@pytest.mark.parametrize(("file", "content", "message"), BROKEN)
async def test_broken_folder_is_refused_with_advice(
    tmp_path: Path, file: str, content: bytes | None, message: str
) -> None:
    folder = write_tiny_model(tmp_path / "tiny")
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_bytes(content)
    with pytest.raises(ProviderMisconfigured, match=message):
        await describe(ModelRequest(str(folder)), SETTINGS)


async def test_model_that_does_not_tell_texts_apart_is_refused(tmp_path: Path) -> None:
    # The first token is the same in all texts.
    folder = write_tiny_model(tmp_path / "tiny", "cls")
    with pytest.raises(
        ProviderMisconfigured, match=r"does not tell texts apart: .*check the pooling"
    ):
        await describe(ModelRequest(str(folder)), SETTINGS)


async def test_changed_files_of_a_generation_are_refused(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "tiny")
    found = await describe(ModelRequest(str(folder), tried=False), SETTINGS)
    other = write_tiny_model(tmp_path / "other")
    tokenizer = json.loads((other / "tokenizer.json").read_text("utf-8"))
    tokenizer["model"]["vocab"]["tea"] = 1
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    generation = ModelGeneration(
        2,
        LOCAL,
        found.endpoint,
        "tiny",
        DIMENSIONS,
        False,
        "",
        "",
        found.weights,
        found.files_sha256,
    )
    factory = ProviderFactory(SETTINGS)
    with pytest.raises(ProviderMisconfigured, match="have changed since they were added"):
        await factory.open(generation).embed(["tea"])
    shutil.rmtree(folder)
    with pytest.raises(ProviderMisconfigured, match="is not a folder"):
        await factory.open(generation).embed(["tea"])
    factory.close()


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5-base-v2", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("Snowflake/snowflake-arctic-embed-m-v2.0", "query: ", ""),
    ],
)
def test_prefixes_are_known_by_the_name_of_the_model(model: str, query: str, passage: str) -> None:
    assert known_prefixes(model) == Prefixes(query, passage)


@pytest.mark.parametrize("model", ["BAAI/bge-m3", "all-MiniLM-L6-v2", "thenlper/gte-small"])
def test_models_without_prefixes_get_none(model: str) -> None:
    assert known_prefixes(model) is None


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, None),
        ({"prompts": {"query": "", "document": ""}}, None),
        ({"prompts": {"query": "q: ", "document": "d: "}}, Prefixes("q: ", "d: ")),
        ({"prompts": {"query": "q: "}}, Prefixes("q: ", "")),
        ({"prompts": {"sts": "s: "}, "default_prompt_name": "sts"}, Prefixes("s: ", "s: ")),
    ],
)
def test_prompts_become_prefixes(config: dict[str, Any], expected: Prefixes | None) -> None:
    assert prompts_of(config) == expected


def test_roberta_reads_two_tokens_less_than_it_has_positions(tmp_path: Path) -> None:
    config = {"model_type": "xlm-roberta", "max_position_embeddings": 514, "pad_token_id": 1}
    folder = write_tiny_model(tmp_path / "tiny", config=config, sentence_bert_config=None)
    found = read_folder(folder)
    assert (found.max_tokens, found.pad_token) == (512, 1)
