"""The folder of an embedding model, in the layout of sentence-transformers and Hugging Face.

    config.json                          size of the model, maximum number of tokens
    tokenizer.json
    onnx/model.onnx or model.onnx        the weights
    modules.json, 1_Pooling/config.json  how one vector is made of the vectors of all tokens
    sentence_bert_config.json            length of the texts in training, in tokens
    config_sentence_transformers.json    prefixes of questions and passages

Only the first three must exist. All errors are ProviderMisconfigured; their messages say what to do.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everword_embedder.providers.configuration import Pooling
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.known_prefixes import Prefixes, known_prefixes, prompts_of

#: Paths in order of preference. Other ONNX files of a folder are usually quantised versions of the same weights.
WEIGHTS = ("onnx/model.onnx", "model.onnx")
#: Maximum tokens if no file of a model gives a limit.
DEFAULT_TOKENS = 512
#: Larger limits mean no limit: tokenizers without a limit have 10^30.
_NO_LIMIT = 1_000_000
#: By the keys of 1_Pooling/config.json; newer files have `pooling_mode: mean` instead.
_POOLINGS = {
    "pooling_mode_mean_tokens": Pooling.MEAN,
    # The same direction as the mean.
    "pooling_mode_mean_sqrt_len_tokens": Pooling.MEAN,
    "pooling_mode_cls_token": Pooling.CLS,
    "pooling_mode_lasttoken": Pooling.LAST,
    "mean": Pooling.MEAN,
    "mean_sqrt_len_tokens": Pooling.MEAN,
    "cls": Pooling.CLS,
    "lasttoken": Pooling.LAST,
}
_SUPPORTED_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})


@dataclass(frozen=True)
class ModelFolder:
    """The properties of a model that were read from its folder."""

    folder: Path
    #: Path of the ONNX file in the folder.
    weights: str
    tokenizer: Path
    #: None if unknown.
    pooling: Pooling | None
    #: Name of a module that Everword cannot run, so that the ONNX file must contain all modules; empty if none.
    unsupported_module: str
    max_tokens: int
    prefixes: Prefixes
    pad_token: int
    #: Languages of the model card; empty if unknown.
    languages: tuple[str, ...]

    @property
    def files(self) -> list[Path]:
        """Return the files that decide the vector of a text: weights and tokenizer."""
        weights = self.folder / self.weights
        # ONNX files are limited to 2 GB; larger weights are in separate files.
        external = sorted(weights.parent.glob(f"{weights.name}[._]data*"))
        return [self.tokenizer, weights, *external]

    @property
    def size_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.files)

    def files_sha256(self) -> str:
        """Return the SHA-256 of `files`. Takes about a second for 500 MB."""
        digest = hashlib.sha256()
        for file in self.files:
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
        return digest.hexdigest()


def read_folder(folder: Path, name: str = "", weights: str = "") -> ModelFolder:
    """Read the properties of the model in a folder.

    `name` is the model's name, by default the folder's. `weights` is the path of the ONNX file in the folder, by
    default the first of `WEIGHTS` that exists.
    """
    if not folder.is_dir():
        raise ProviderMisconfigured(f"{folder} is not a folder")
    modules = _modules(folder)
    base = folder / modules.get("Transformer", "")
    config = _json(base / "config.json")
    if not config:
        raise ProviderMisconfigured(
            f"{folder} has no config.json: give the folder of a model as Hugging Face or sentence-transformers saves it"
        )
    tokenizer = _existing(base / "tokenizer.json", folder / "tokenizer.json")
    if tokenizer is None:
        raise ProviderMisconfigured(
            f"{folder} has no tokenizer.json; write it with Python: from transformers import AutoTokenizer; "
            f"AutoTokenizer.from_pretrained({str(folder)!r}).save_pretrained({str(folder)!r})"
        )
    sentence = _json(base / "sentence_bert_config.json")
    if sentence.get("do_lower_case"):
        raise ProviderMisconfigured(
            f"{folder}/sentence_bert_config.json has do_lower_case, which is not supported: the tokenizer must do it"
        )
    named = name or str(config.get("_name_or_path") or "") or folder.name
    written = prompts_of(_json(folder / "config_sentence_transformers.json"))
    return ModelFolder(
        folder=folder,
        weights=_weights(folder, weights),
        tokenizer=tokenizer,
        pooling=_pooling(folder, modules),
        unsupported_module=min(modules.keys() - _SUPPORTED_MODULES, default=""),
        max_tokens=_max_tokens(config, sentence, _json(base / "tokenizer_config.json")),
        prefixes=written or known_prefixes(named) or known_prefixes(folder.name) or Prefixes(),
        pad_token=_integer(config.get("pad_token_id")) or 0,
        languages=_languages(folder / "README.md"),
    )


def _modules(folder: Path) -> dict[str, str]:
    """Return the modules of the model with their folders; empty without modules.json."""
    file = folder / "modules.json"
    if not file.exists():
        return {}
    listed = _parsed(file)
    entries = listed if isinstance(listed, list) else []
    return {
        str(entry.get("type", "")).rsplit(".", 1)[-1]: str(entry.get("path", ""))
        for entry in entries
        if isinstance(entry, dict)
    }


def _pooling(folder: Path, modules: dict[str, str]) -> Pooling | None:
    file = folder / modules.get("Pooling", "1_Pooling") / "config.json"
    config = _json(file)
    if not config:
        return None
    if config.get("include_prompt") is False:
        raise ProviderMisconfigured(f"{file} leaves out prompts, which is not supported")
    modes = [
        key for key, value in config.items() if key.startswith("pooling_mode") and value is True
    ]
    if isinstance(mode := config.get("pooling_mode"), str):
        modes = [mode]
    if len(modes) != 1 or modes[0] not in _POOLINGS:
        raise ProviderMisconfigured(
            f"{file} asks for the pooling {', '.join(modes) or 'none'}; mean, cls and lasttoken are supported, one "
            "at a time"
        )
    return _POOLINGS[modes[0]]


def _max_tokens(config: dict[str, Any], sentence: dict[str, Any], tokenizer: dict[str, Any]) -> int:
    """Return the maximum number of tokens in training, or the model's number of positions if that is smaller."""
    positions = _integer(config.get("max_position_embeddings"))
    # RoBERTa counts positions from the padding's id plus one.
    if positions and "roberta" in str(config.get("model_type", "")):
        positions -= (_integer(config.get("pad_token_id")) or 0) + 1
    trained = _integer(sentence.get("max_seq_length"))
    limit = _integer(tokenizer.get("model_max_length"))
    stated = trained or (limit if limit and limit < _NO_LIMIT else None) or positions
    return min(stated or DEFAULT_TOKENS, positions or stated or DEFAULT_TOKENS)


def _weights(folder: Path, asked: str) -> str:
    """Return the path of the ONNX file in the folder."""
    if asked:
        if not (folder / asked).is_file():
            raise ProviderMisconfigured(f"{folder} has no file {asked}")
        return asked
    for usual in WEIGHTS:
        if (folder / usual).is_file():
            return usual
    others = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.onnx"))
    if len(others) == 1:
        return others[0]
    raise ProviderMisconfigured(no_weights(str(folder), others))


def no_weights(model: str, others: list[str]) -> str:
    """Return the message about a model without onnx/model.onnx; `others` are its other ONNX files."""
    if others:
        listed = ", ".join(others)
        return f"{model} has several ONNX files; name one with --weights: {listed}"
    return (
        f"{model} has no weights in ONNX (onnx/model.onnx). Export them: pip install 'sentence-transformers[onnx]', "
        f"then in Python: from sentence_transformers import SentenceTransformer; "
        f"SentenceTransformer({model!r}, backend='onnx').save_pretrained('exported'); add the folder `exported`"
    )


def _languages(card: Path) -> tuple[str, ...]:
    """Return the languages of a model card's front matter: `language: en`, or a list."""
    try:
        lines = card.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    if not lines or lines[0].strip() != "---":
        return ()
    found: list[str] = []
    reading = False
    for line in lines[1:]:
        if line.strip() == "---":
            break
        if line.startswith("language:"):
            value = line.partition(":")[2].strip()
            found += [each.strip(" \"'") for each in value.strip("[]").split(",")]
            reading = True
        elif reading and line.lstrip().startswith("- "):
            found.append(line.lstrip()[2:].strip(" \"'"))
        else:
            reading = False
    return tuple(each for each in found if each and each != "multilingual") or tuple(
        each for each in found if each
    )


def _existing(*files: Path) -> Path | None:
    return next((file for file in files if file.is_file()), None)


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _json(file: Path) -> dict[str, Any]:
    """Return a JSON object, empty if the file is missing."""
    if not file.is_file():
        return {}
    found = _parsed(file)
    if not isinstance(found, dict):
        raise ProviderMisconfigured(f"{file} is not a JSON object")
    return found


def _parsed(file: Path) -> Any:
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ProviderMisconfigured(f"{file} cannot be read as JSON: {error}") from error
