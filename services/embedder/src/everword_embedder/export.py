"""`python -m everword_embedder.export FOLDER`: write the local model's files, as this embedder runs them.

Benchmarks give them to other systems, so that all of them compare the same vectors. Prints the chosen form of the
weights as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.local_graph import multiply_in_bytes
from everword_embedder.providers.local_model import NAME, PACKAGED, load_model
from everword_embedder.providers.model_files import TOKENIZER, WEIGHTS, read_verified
from everword_embedder.providers.weights import WeightForm


def export(folder: Path) -> dict[str, object]:
    """Write tokenizer.json, bytes.onnx and floats.onnx; return how to run them. Raises ProviderMisconfigured.

    `form` is the form that is faster on this processor, and `batch` the number of texts of one call in each form.
    """
    weights = read_verified(WEIGHTS)
    (folder / "tokenizer.json").write_bytes(read_verified(TOKENIZER))
    (folder / f"{WeightForm.FLOATS}.onnx").write_bytes(weights)
    (folder / f"{WeightForm.BYTES}.onnx").write_bytes(multiply_in_bytes(weights))
    choice = load_model().choice
    assert choice is not None
    return {
        "model": NAME,
        "max_tokens": PACKAGED.max_tokens,
        "form": choice.form,
        "batch": {form: speed.batch for form, speed in choice.speeds.items()},
    }


def main() -> None:
    try:
        described = export(Path(sys.argv[1]))
    except ProviderMisconfigured as error:
        sys.exit(f"everword: {error}")
    print(json.dumps(described))


if __name__ == "__main__":
    main()
