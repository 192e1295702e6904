"""Downloads a model from a model hub with Hugging Face's client.

The client is installed as a dependency of tokenizers. It shows progress, resumes interrupted downloads, and reads
HF_ENDPOINT, HF_HOME, HF_TOKEN and HF_HUB_OFFLINE. Its cache has a folder for each revision, which never changes.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.model_folder import WEIGHTS, no_weights

_NAME = re.compile(r"[\w.-]+/[\w.-]+")
#: Small files: configuration, tokenizer, and the model card, which names the languages.
_SMALL = (
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "*_Pooling/config.json",
    "*_Transformer/*.json",
    "README.md",
)
#: Seconds; timeout of the request for the list of files.
_TIMEOUT_S = 10.0
_FOLDER = (
    "give a folder with the model's files instead: config.json, tokenizer.json, modules.json, 1_Pooling/config.json, "
    "config_sentence_transformers.json and onnx/model.onnx"
)


def is_hub_name(model: str) -> bool:
    """Return whether `model` has the form OWNER/NAME and is not a relative path."""
    return bool(_NAME.fullmatch(model)) and not model.startswith(".")


def download(model: str, weights: str = "") -> Path:
    """Download the needed files of a model, unless they are in the cache, and return their folder.

    Raises ProviderMisconfigured if the hub cannot be reached or has no such model.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, RepositoryNotFoundError

    try:
        patterns = _patterns(weights or _weights(model))
        return Path(snapshot_download(model, allow_patterns=patterns))
    except ProviderMisconfigured:
        raise
    except RepositoryNotFoundError as error:
        raise ProviderMisconfigured(
            f"{constants.ENDPOINT} has no model {model}, or HF_TOKEN may not read it"
        ) from error
    except (HfHubHTTPError, EntryNotFoundError) as error:
        raise ProviderMisconfigured(f"{model} cannot be downloaded: {_words(error)}") from error
    except Exception as error:
        # The class of a connection error depends on the HTTP library of the client's version.
        if cached := _cached(model, weights):
            return cached
        raise ProviderMisconfigured(
            f"{constants.ENDPOINT} cannot be reached ({type(error).__name__}); {_FOLDER}"
        ) from error


def _weights(model: str) -> str:
    """Return the ONNX file of a model on the hub."""
    from huggingface_hub import model_info

    files = {each.rfilename for each in model_info(model, timeout=_TIMEOUT_S).siblings or ()}
    for usual in WEIGHTS:
        if usual in files:
            return usual
    others = sorted(file for file in files if file.endswith(".onnx"))
    if len(others) == 1:
        return others[0]
    raise ProviderMisconfigured(no_weights(model, others))


def _cached(model: str, weights: str) -> Path | None:
    """Return the folder of an earlier download; None if it is not complete."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    for file in [weights] if weights else WEIGHTS:
        with suppress(LocalEntryNotFoundError):
            folder = snapshot_download(model, allow_patterns=_patterns(file), local_files_only=True)
            if (Path(folder) / file).is_file():
                return Path(folder)
    return None


def _patterns(weights: str) -> list[str]:
    """Return the patterns of the files to download. Weights above 2 GB are in files next to the ONNX file."""
    return [*_SMALL, weights, f"{weights}[._]data*"]


def _words(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
