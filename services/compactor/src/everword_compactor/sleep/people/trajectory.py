"""The question to a model about a subject's direction, and the check of its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from everword.people.model import MessageWords, Stability
from everword.text.case_folding import fold_spaces
from everword_compactor.jobs.questions import CheckedAnswer
from everword_compactor.sleep.people.words import invented

#: Version of the request and of the checks of its answer.
PROMPT_VERSION = 1
MAX_TOKENS = 2_500
#: Texts of which there is one, and lists of texts, with the most of each.
TEXTS = ("phase", "direction", "momentum", "summary")
LISTS = {"anchors": 8, "volatile_areas": 6, "predicted_shifts": 5}
#: Without these it says nothing.
NEEDED = ("phase", "direction", "summary")
INSTRUCTION = f"""\
The records `known` are what is known of a person, and what the person said lately; `r` is the number of one. \
`earlier` is what was written before. Write where the person's life is going:
- `phase`: the part of life that the person is in, in a few words.
- `direction`: where things are going, in a sentence.
- `stability`: {", ".join(each.name.lower() for each in Stability)}.
- `anchors`: what the life is built around: of each the attribute or the value of a record, letter by letter.
- `volatile_areas`: what changes.
- `momentum`: what has been moving lately, in a sentence.
- `predicted_shifts`: changes that may come.
- `summary`: all that in two to four sentences.
Each but `stability` has a `text` and `because`, the numbers `r` of the records that show it. Say nothing that no \
record shows; leave a list empty, and the text of `momentum` too, where nothing shows it.
Answer with one JSON object."""


def _text(min_chars: int, max_chars: int) -> dict[str, Any]:
    numbers = {"type": "array", "maxItems": 20, "items": {"type": "integer"}}
    text = {"type": "string", "minLength": min_chars, "maxLength": max_chars}
    return {
        "type": "object",
        "properties": {"text": text, "because": numbers},
        "required": ["text", "because"],
        "additionalProperties": False,
    }


SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "phase": _text(1, 200),
        "direction": _text(1, 600),
        "stability": {"enum": [each.name.lower() for each in Stability]},
        "anchors": {"type": "array", "maxItems": LISTS["anchors"], "items": _text(1, 300)},
        "volatile_areas": {
            "type": "array",
            "maxItems": LISTS["volatile_areas"],
            "items": _text(1, 300),
        },
        "momentum": _text(0, 600),
        "predicted_shifts": {
            "type": "array",
            "maxItems": LISTS["predicted_shifts"],
            "items": _text(1, 400),
        },
        "summary": _text(1, 2_000),
    },
    "required": [*TEXTS, "stability", *LISTS],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class TrajectorySource:
    """A fact or an observation that a trajectory can cite."""

    text: str
    at: datetime
    #: The words behind it.
    said: Sequence[MessageWords] = ()
    #: Attribute of a fact; empty for an observation.
    attribute: str = ""
    value: str = ""

    def record(self, number: int) -> dict[str, Any]:
        """Return its record for a model, which cites it by `r`."""
        return {"r": number, "time": self.at.date().isoformat(), "text": self.text}

    def is_named_by(self, anchor: str) -> bool:
        """Return whether an anchor names this fact: by its attribute or its value."""
        named = fold_spaces(anchor.replace("_", " "))
        return bool(self.attribute) and named in (
            self.attribute.casefold().replace("_", " "),
            fold_spaces(self.value),
        )


@dataclass(frozen=True)
class TrajectoryDraft:
    """A model's trajectory of a subject, with the numbers of the records that support each field."""

    phase: str
    direction: str
    stability: str
    anchors: Sequence[str]
    volatile_areas: Sequence[str]
    momentum: str
    predicted_shifts: Sequence[str]
    summary: str
    cited: Mapping[str, Sequence[int]] = field(default_factory=dict)


def read_trajectory_draft(
    sources: Sequence[TrajectorySource], answer: Any
) -> CheckedAnswer[TrajectoryDraft | None]:
    """Return the fields of an answer that the cited records support, with complaints; None if the main fields lack
    support.
    """
    complaints: list[str] = []
    texts = dict.fromkeys(TEXTS, "")
    lists: dict[str, list[str]] = {name: [] for name in LISTS}
    cited: dict[str, list[int]] = {}
    for name in (*TEXTS, *LISTS):
        entries = answer[name] if name in LISTS else [answer[name]]
        for entry in entries:
            text, numbers = " ".join(entry["text"].split()), entry["because"]
            if not text:
                continue
            wrong = _wrong(name, text, numbers, sources)
            if wrong:
                complaints.append(f"`{name}`: {wrong}")
                continue
            cited[name] = [*cited.get(name, []), *numbers]
            if name in LISTS:
                lists[name].append(text)
            else:
                texts[name] = text
    if not all(texts[name] for name in NEEDED):
        return CheckedAnswer(None, complaints)
    draft = TrajectoryDraft(
        texts["phase"],
        texts["direction"],
        answer["stability"],
        lists["anchors"],
        lists["volatile_areas"],
        texts["momentum"],
        lists["predicted_shifts"],
        texts["summary"],
        cited,
    )
    return CheckedAnswer(draft, complaints)


def _wrong(
    name: str, text: str, numbers: Sequence[int], sources: Sequence[TrajectorySource]
) -> str:
    """Return the problem of a text and its cited records; empty if there is none."""
    if not numbers or not all(1 <= r <= len(sources) for r in numbers):
        return "it cites no records, or some that are none"
    shown = [sources[r - 1] for r in numbers]
    if name == "anchors":
        named = any(source.is_named_by(text) for source in shown)
        return (
            "" if named else "it is neither the attribute nor the value of a record that it cites"
        )
    # The summary is of all that is shown.
    behind = sources if name == "summary" else shown
    said = [each.quote for source in behind for each in source.said]
    made_up = invented(
        text, [*(source.text for source in behind), *said], [source.at for source in behind]
    )
    return f"its records do not say {', '.join(made_up)[:300]}" if made_up else ""
