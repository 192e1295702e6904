"""The form of the local model's weights: measured once per processor, saved, and set by EVERWORD_EMBED_WEIGHTS."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from everword.domain.settings import Environment, SettingError
from everword_embedder.providers import local_model
from everword_embedder.providers.local_model import load_model
from everword_embedder.providers.onnx_model import LocalModel
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.weights import (
    BATCH,
    ModelSpeed,
    TimedRun,
    WeightChoice,
    WeightForm,
    measure,
    read_choice,
    save_weight_choice,
)
from support.corpus import sample
from support.minilm import cosine

FLOATS, BYTES = WeightForm.FLOATS, WeightForm.BYTES


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of this test's saved choice."""
    file = tmp_path / "cache" / "choice.json"
    monkeypatch.setattr(local_model, "choice_file", lambda *key: file)
    return file


def processor(question_ms: float, passage_ms: float, batched_ms: float) -> TimedRun:
    """Return a fake model run that takes these times for one text."""
    times = {(1, 16): question_ms, (1, 48): passage_ms, (BATCH, 48): batched_ms}
    return lambda texts, tokens: times[texts, tokens] * texts / 1000


@pytest.mark.parametrize(
    ("floats", "in_bytes", "chosen", "batch"),
    [
        # AMD EPYC without VNNI, from an issue.
        ((12.0, 28.6, 28.6), (21.6, 61.5, 61.5), FLOATS, 1),
        # A processor with VNNI: bytes gain more from VNNI than floats gain from batches.
        ((4.5, 12.0, 9.0), (2.2, 8.0, 7.9), BYTES, 1),
        ((4.5, 12.0, 7.0), (4.4, 10.0, 10.0), FLOATS, BATCH),
    ],
)
def test_measure_chooses_the_faster_weight_form(
    floats: tuple[float, float, float],
    in_bytes: tuple[float, float, float],
    chosen: WeightForm,
    batch: int,
) -> None:
    choice = measure({FLOATS: processor(*floats), BYTES: processor(*in_bytes)})
    assert (choice.form, choice.speed.batch) == (chosen, batch)


def test_load_model_measures_this_processor_once(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = load_model()
    assert first.choice == read_choice(kept)
    assert first.choice is not None
    assert set(first.choice.speeds) == set(WeightForm)
    assert all(speed.question_ms > 0 for speed in first.choice.speeds.values())
    monkeypatch.setattr(local_model, "measure", lambda models: pytest.fail("measured again"))
    assert load_model().choice == first.choice


def test_load_model_uses_the_requested_weight_form(kept: Path) -> None:
    slow, fast = ModelSpeed(9, 9, 1), ModelSpeed(1, 1, 1)
    save_weight_choice(kept, WeightChoice(BYTES, {FLOATS: slow, BYTES: fast}))
    chosen = load_model(FLOATS).choice
    assert chosen == WeightChoice(FLOATS, {FLOATS: slow, BYTES: fast})


@pytest.mark.parametrize("content", ["", "{}", '{"form": "bytes", "speeds": {}}', "[1]", "null"])
def test_load_model_measures_again_if_the_saved_choice_is_unreadable(
    kept: Path, content: str
) -> None:
    kept.parent.mkdir()
    kept.write_text(content, "utf-8")
    assert load_model().choice is not None
    assert read_choice(kept) is not None


def test_load_model_works_if_the_choice_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("", "utf-8")
    monkeypatch.setattr(local_model, "choice_file", lambda *key: blocked / "choice.json")
    assert load_model().choice is not None


@pytest.fixture(scope="module")
def both_forms() -> dict[WeightForm, LocalModel]:
    return {form: load_model(form) for form in WeightForm}


def test_vectors_of_both_weight_forms_are_interchangeable(
    both_forms: dict[WeightForm, LocalModel],
) -> None:
    texts = [entry["content"] for part in sample() for entry in part["messages"]][:100]
    floats, in_bytes = (both_forms[form].embed(texts) for form in (FLOATS, BYTES))
    cosines = [cosine(a.vector, b.vector) for a, b in zip(floats, in_bytes, strict=True)]
    # A text without words has the lowest.
    assert min(cosines) >= 0.998
    assert median(cosines) >= 0.9997


def test_weight_form_setting_is_parsed() -> None:
    def setting(text: str) -> WeightForm | None:
        return EmbedSettings.from_environment(Environment({"EVERWORD_EMBED_WEIGHTS": text})).weights

    assert [setting(text) for text in ("", "auto", "floats", "bytes")] == [
        None,
        None,
        FLOATS,
        BYTES,
    ]
    with pytest.raises(SettingError, match="must be auto, floats or bytes"):
        setting("int8")
