"""Labelled conversations, and the comparison of claims with labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everword.bench.learning.judgement import judge
from everword.bench.learning.labels import (
    LEARNING_FORMAT,
    Session,
    read_learning_set,
    sample_set,
)
from everword.bench.learning.matching import Claim
from everword.bench.learning.words import content_words
from everword.transcripts import TranscriptError

SAMPLE = read_learning_set(sample_set())


def session(name: str) -> Session:
    [found] = [each for each in SAMPLE.sessions if each.name == name]
    return found


def verdict(name: str, subject: str, attribute: str, value: str, kind: str = "fact") -> str:
    claim = Claim(kind, "1", subject, attribute, value)
    [judged] = judge(session(name), SAMPLE.synonyms, [claim]).claims
    return judged.verdict


def test_sample_set_is_varied_and_its_evidence_is_said_by_people() -> None:
    assert len(SAMPLE.sessions) >= 12
    assert all(len(each.entries) >= 20 for each in SAMPLE.sessions)
    for each in SAMPLE.sessions:
        assert len(each.facts) >= 10, each.name
        assert each.traps, each.name
        for fact in each.facts:
            authors = {each.entries[number - 1].message.author for number in fact.evidence}
            assert authors != {"agent"}, (each.name, fact)
            assert set(fact.attributes) <= set(SAMPLE.synonyms), (each.name, fact)


@pytest.mark.parametrize(
    ("name", "claimed", "expected"),
    [
        ("companion-evening", ("Mara", "occupation", "a paediatric nurse"), "right"),
        ("companion-evening", ("user", "job", "nurse at the hospital"), "right"),
        ("companion-evening", ("Ines", "city", "Bristol"), "right"),
        ("companion-evening", ("Mara's sister", "home", "Bristol"), "right"),
        ("companion-evening", ("user", "ines_residence", "Bristol"), "right"),
        ("companion-evening", ("user", "sister_name", "Ines"), "right"),
        ("companion-evening", ("Ines", "relation", "Mara's sister"), "right"),
        ("companion-evening", ("Mara", "residence", "Bristol"), "trap"),
        ("companion-evening", ("Mara", "diet", "no meat"), "right"),
        ("companion-evening", ("Mara", "does_not_eat", "meat"), "right"),
        ("companion-evening", ("Mara", "diet", "meat"), "unlisted"),
        ("companion-evening", ("Mara", "like", "coriander"), "unlisted"),
        ("companion-evening", ("Mara", "shoe_size", "40"), "unlisted"),
        ("work-launch", ("Henrik", "launch_date", "2026-08-21"), "right"),
        ("work-launch", ("Henrik", "launch_date", "2026-08-14"), "outdated"),
        ("health-migraine", ("Leila", "medication", "topiramate, 25 mg"), "right"),
        ("health-migraine", ("Leila", "propranolol_dose", "40 mg"), "outdated"),
        ("finance-home", ("Beatriz", "rent", "$1,900"), "right"),
        ("finance-home", ("Beatriz", "rent", "3800 dollars"), "trap"),
        ("umzug-de", ("Annika", "beruf", "Tierärztin"), "unlisted"),
        ("umzug-de", ("Annika", "job", "Tierärztin in Münster"), "right"),
    ],
)
def test_judge_compares_subject_attribute_and_value(
    name: str, claimed: tuple[str, str, str], expected: str
) -> None:
    assert verdict(name, *claimed) == expected


def test_judge_counts_updates_and_start_dates() -> None:
    group, flat = session("group-flat"), SAMPLE.synonyms
    new = Claim("fact", "1", "Jonas", "job", "bike workshop", since="2026-04-01")
    old = Claim("fact", "2", "Jonas", "job", "call centre")
    ended = Claim("fact", "2", "Jonas", "job", "call centre", believed=False)
    both, changed, nothing = (
        judge(group, flat, claims) for claims in ([new, old], [new, ended], [])
    )
    assert [each[1:] for each in both.updates] == [(True, False)]
    assert [each[1:] for each in changed.updates] == [(True, True)]
    assert [each[1:] for each in nothing.updates] == [(False, True)]
    assert (changed.dated, changed.dated_right) == (1, 1)
    assert len(changed.missed) == len(nothing.missed) - 1


def test_content_words_normalise_numbers_dates_and_accents() -> None:
    assert content_words("the 21st of August") == content_words("21 August")
    assert content_words("2026-08-21") == content_words("August 21, 2026")
    assert content_words("1.450 Euro") == content_words("1,450 euros")
    assert content_words("Kraków, fünf Äpfel") == frozenset({"krakow", "5", "apfel"})
    assert "10.11" in content_words("MariaDB 10.11")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other/1"}, LEARNING_FORMAT),
        ({"sessions": []}, "no sessions"),
        (
            {"facts": [{"subject": "A", "attributes": [], "values": ["x"], "evidence": [9]}]},
            "1 to 1",
        ),
        ({"facts": [{"subject": "A", "attributes": [], "values": [], "evidence": [1]}]}, "values"),
        ({"facts": None}, "facts must be a list"),
    ],
)
def test_malformed_set_is_refused_with_place(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    said = {"id": "m1", "role": "user", "author": "A", "content": "I live in Oslo."}
    labels: dict[str, Any] = {"facts": [], "traps": [], "updates": []}
    whole: dict[str, Any] = {"format": LEARNING_FORMAT}
    labels |= {name: each for name, each in change.items() if name in labels}
    whole["sessions"] = [{"conversation": "c1", "messages": [said], **labels}]
    whole |= {name: each for name, each in change.items() if name not in labels}
    path = tmp_path / "set.json"
    path.write_text(json.dumps(whole))
    with pytest.raises(TranscriptError, match=message):
        read_learning_set(path)
