"""Fit the map of multilingual-e5-small into the space of all-MiniLM-L6-v2, from the bench's development sets.

    .venv/bin/python -m scripts.train_space_map FOLDER

FOLDER has English sets, on which the rotation is fitted, and parallel sets named xquad-LANGUAGE-dev.json, from which
the mean of texts in other languages is taken. The models run for four minutes on one thread.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everword.text.passages import split_passages
from everword_embedder.providers.local_model import E5, E5_CONFIGURATION, NAME, load_model
from everword_embedder.providers.onnx_model import LocalModel

OUTPUT = Path("services/embedder/src/everword_embedder/providers/e5_to_minilm.npz")
ENGLISH = ("locomo", "realtalk", "beam100k", "friendsqa", "locomo-plus", "sweagent", "realmem")
OTHERS = ("de", "es", "ru", "zh", "ar", "hi", "th")
#: Passages and questions of a set, at most.
MOST = 1200
#: Share of the mean that is subtracted. The more, the better questions find answers in other languages; the less, the
#: better the cosine of the nearest passage separates answers from the rest (docs/adr/0041-packaged-models.md).
CENTRED = 0.6
QUERY, PASSAGE = E5_CONFIGURATION.query_prefix, E5_CONFIGURATION.passage_prefix
Vectors = NDArray[np.float32]


def main() -> None:
    folder = Path(sys.argv[1])
    minilm, e5 = load_model(name=NAME), load_model(name=E5)
    english = [_texts(folder / f"{name}-dev.json") for name in ENGLISH]
    means: dict[str, Vectors] = {}
    cross = np.zeros((E5_CONFIGURATION.dimensions,) * 2, np.float32)
    for kind, prefix in enumerate((QUERY, PASSAGE)):
        texts = [text for each in english for text in each[kind]]
        given = _embed(e5, [prefix + text for text in texts])
        mean = CENTRED * given.mean(axis=0)
        cross += _unit(given - mean).T @ _embed(minilm, texts)
        means[prefix] = mean + CENTRED * _offset(e5, folder, kind, prefix)
    left, _, right = np.linalg.svd(cross)
    np.savez_compressed(
        OUTPUT,
        query_mean=means[QUERY],
        passage_mean=means[PASSAGE],
        rotation=(left @ right).astype(np.float16),
    )


def _offset(e5: LocalModel, folder: Path, kind: int, prefix: str) -> Vectors:
    """Return the mean of texts in other languages minus that of the same texts in English."""
    of = {
        language: _embed(
            e5, [prefix + text for text in _texts(folder / f"xquad-{language}-dev.json")[kind]]
        ).mean(axis=0)
        for language in ("en", *OTHERS)
    }
    offset: Vectors = np.mean([of[language] for language in OTHERS], axis=0) - of["en"]
    return offset


def _texts(file: Path) -> tuple[list[str], list[str]]:
    """Return questions and passages, evenly spread over the set."""
    conversations = json.loads(file.read_text("utf-8"))["conversations"]
    questions = [query["text"] for each in conversations for query in each["queries"]]
    passages = list(_passages(conversations))
    return _spread(questions), _spread(passages)


def _passages(conversations: list[dict[str, list[dict[str, str]]]]) -> Iterator[str]:
    for each in conversations:
        for message in each["messages"]:
            if message["content"]:
                yield from split_passages(message["content"])


def _spread(texts: list[str]) -> list[str]:
    return texts[:: max(1, len(texts) // MOST)][:MOST]


def _embed(model: LocalModel, texts: list[str]) -> Vectors:
    return _unit(np.array([each.vector for each in model.embed(texts)], np.float32))


def _unit(vectors: Vectors) -> Vectors:
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


if __name__ == "__main__":
    main()
