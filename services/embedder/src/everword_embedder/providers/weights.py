"""Choose the form of the local model's weights that is faster on this processor.

The packaged file stores each weight in a byte. `floats` turns them into 32-bit floats at load, which every processor
multiplies well. `bytes` multiplies them as they are stored (`local_graph.py`): up to twice as fast if the processor has
instructions for it (VNNI), and half as fast without them. The vectors of both have a cosine of at least .9997, so a
database can move between machines. The choice is measured once and kept in the user's cache folder.
"""

from __future__ import annotations

import enum
import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

#: Tokens of the measured texts: a question, and a message of usual length.
QUESTION_TOKENS, PASSAGE_TOKENS = 16, 48
#: Texts in one call of the model; more gained nothing further (1 to 16 texts, Intel Xeon with AVX-512).
BATCH = 8
#: A batch must be faster than single texts by this factor, since vectors then depend a little on their neighbours.
_BATCH_GAIN = 0.95
_ROUNDS = 5


class WeightForm(enum.StrEnum):
    """The number format in which the model's weights are multiplied."""

    FLOATS = "floats"
    BYTES = "bytes"


@dataclass(frozen=True)
class ModelSpeed:
    """The speed of one thread of a loaded model on this processor."""

    #: CPU milliseconds for a question of 16 tokens.
    question_ms: float
    #: CPU milliseconds for a passage of 48 tokens, in batches of the size below.
    passage_ms: float
    #: Passages in one call: 1 or BATCH.
    batch: int

    @property
    def cost(self) -> float:
        """Product of both times: a form is better if it gains more on one than it loses on the other."""
        return self.question_ms * self.passage_ms


@dataclass(frozen=True)
class WeightChoice:
    """The form to load, and its measurements."""

    form: WeightForm
    speeds: Mapping[WeightForm, ModelSpeed]

    @property
    def speed(self) -> ModelSpeed:
        return self.speeds[self.form]


#: Runs the model once on a number of texts with a number of tokens each; returns the CPU seconds.
TimedRun = Callable[[int, int], float]


def measure(models: Mapping[WeightForm, TimedRun], *, batches: bool = True) -> WeightChoice:
    """Time every form in alternation and choose the fastest; about half a second for two forms.

    Without `batches`, a call of the model gets one text.
    """
    batched = BATCH if batches else 1
    shapes = ((1, QUESTION_TOKENS), (1, PASSAGE_TOKENS), (batched, PASSAGE_TOKENS))
    # The fastest of the rounds: CPU time still grows when another process evicts the caches.
    best: dict[tuple[WeightForm, int], float] = {}
    for _ in range(_ROUNDS):
        for form, run in models.items():
            for place, shape in enumerate(shapes):
                taken = run(*shape) * 1000 / shape[0]
                best[form, place] = min(taken, best.get((form, place), taken))
    speeds = {form: _speed(best[form, 0], best[form, 1], best[form, 2], batched) for form in models}
    return WeightChoice(min(speeds, key=lambda form: speeds[form].cost), speeds)


def _speed(question_ms: float, single_ms: float, batched_ms: float, batch: int) -> ModelSpeed:
    batched = batched_ms < _BATCH_GAIN * single_ms
    return ModelSpeed(
        round(question_ms, 3),
        round(batched_ms if batched else single_ms, 3),
        batch if batched else 1,
    )


def choice_file(weights_sha256: str, runtime: str) -> Path:
    """Return the path of the saved choice for this processor, model file and version of ONNX Runtime."""
    key = hashlib.sha256(f"{_processor()} {weights_sha256} {runtime}".encode()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("everword")) / f"local-model-{key}.json"


def read_choice(file: Path) -> WeightChoice | None:
    """Return the saved choice; None if there is no readable one."""
    try:
        retained = json.loads(file.read_text("utf-8"))
        speeds = {
            WeightForm(form): ModelSpeed(**speed) for form, speed in retained["speeds"].items()
        }
        choice = WeightChoice(WeightForm(retained["form"]), speeds)
        return choice if choice.form in speeds else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def save_weight_choice(file: Path, choice: WeightChoice) -> None:
    """Save the choice; if the folder is read-only, the next start measures again."""
    retained = {"processor": _processor(), **asdict(choice)}
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may measure at once, and a reader must never see half a file.
        written = file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(retained, indent=1), "utf-8")
        written.replace(file)


def _processor() -> str:
    """Return the processor's name and instruction sets, on which the speeds depend."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        named = ("model name", "flags", "Features", "CPU part")
        return "; ".join(
            line.partition(":")[2].strip()
            for line in dict.fromkeys(lines)
            if line.partition(":")[0].strip() in named
        )
    return f"{platform.machine()} {platform.processor()}"
