"""Loads a local model from the folder that its generation names."""

from __future__ import annotations

from pathlib import Path

from everword_embedder.providers.configuration import ModelConfiguration, Pooling
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.generation import ModelGeneration
from everword_embedder.providers.model_folder import ModelFolder, read_folder
from everword_embedder.providers.onnx_model import LocalModel, json_tokenizer
from everword_embedder.providers.weights import (
    WeightForm,
    choice_file,
    measure,
    read_choice,
    save_weight_choice,
)

#: Operator of 8-bit models that uses one scale for the whole batch, so that a text's vector depends on its batch.
_DYNAMIC = b"DynamicQuantizeLinear"


def load_folder_model(generation: ModelGeneration) -> LocalModel:
    """Load the model of a generation from its folder.

    Raises ProviderMisconfigured if the folder or a file is missing, or if a file has changed since the model was added.
    """
    found = read_folder(Path(generation.endpoint), generation.model, generation.weights)
    if found.files_sha256() != generation.files_sha256:
        raise ProviderMisconfigured(
            f"the files of {generation.model} in {found.folder} have changed since they were added; restore them, or "
            "add the model again with `everword models add`"
        )
    configuration = ModelConfiguration(
        generation.dimensions,
        generation.max_tokens or found.max_tokens,
        Pooling(generation.pooling),
        generation.query_prefix,
        generation.passage_prefix,
    )
    return open_folder(found, configuration, generation.files_sha256)


def open_folder(
    found: ModelFolder, configuration: ModelConfiguration, files_sha256: str
) -> LocalModel:
    """Load a model, and measure its speed if it was not measured on this processor yet."""
    import onnxruntime

    path = found.folder / found.weights
    try:
        tokenize = json_tokenizer(found.tokenizer.read_bytes(), configuration.max_tokens)
        model = LocalModel(path, tokenize, configuration, pad_token=found.pad_token)
    except ProviderMisconfigured as error:
        raise ProviderMisconfigured(f"{path}: {error}") from error
    except Exception as error:
        # Neither library has a base class for its errors; tokenizers raises Exception itself.
        raise ProviderMisconfigured(f"{path} cannot be loaded: {error}") from error
    file = choice_file(files_sha256, onnxruntime.__version__)
    choice = read_choice(file)
    if choice is None:
        # Do not use batches if the texts of a batch would change each other's vectors.
        batches = _DYNAMIC not in path.read_bytes()
        choice = measure({WeightForm.FLOATS: model.timed_run}, batches=batches)
        save_weight_choice(file, choice)
    model.choice = choice
    return model
