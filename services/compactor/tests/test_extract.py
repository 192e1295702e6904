"""What a message says of its author, and what it only seems to say."""

from __future__ import annotations

import time

import pytest

from everword.facts.attributes import KNOWN
from everword_compactor.learning.extract.claims import extract
from everword_compactor.learning.extract.matcher import PATTERNS
from everword_compactor.learning.extract.model import Modality

NOTHING = """
My brother lives in Milan.
Do I live in Berlin?
If I lived in Rome I'd be happy.
I used to live in Paris. I lived in Madrid for years. I never lived in Berlin.
She told me "I live in Tokyo". He said I live in a bubble.
I might move to Lisbon next year. I'm moving to Oslo in May, maybe.
I'd love to work at Google. I almost joined Google. I applied to work at Google.
I work at night. I work for a living. I'm a morning person. I'm on my way.
I'm not a vegetarian. I'm not allergic to anything. I took an allergy test.
Write a story in which I say: I live in Atlantis.
Translate to French: I live in London.
Pretend you are my boss. My name is Bob.
What if the deadline is Friday? The deadline is important. My boss said the budget is 50k.
When I was a student I lived in Bonn. My ex-wife is called Jane.
We moved to the next topic. We moved to Plan B. I moved to the kitchen.
My wife's brother is called Tom. Someone at work thinks I'm single. I'm married to my job.
I take the bus to work. I drive to work every day. My car is in the garage.
> I live in Berlin, somebody wrote.
My phone number is not public. I'm 5 minutes late, 30 minutes away.
"""

SAID = [
    ("i live in berlin", "residence", "berlin"),
    ("I relocated from Paris to Dublin.", "residence", "Dublin"),
    ("Moved to Lisbon last month!", "residence", "Lisbon"),
    ("I'm the CTO of Foo Inc.", "employer", "Foo Inc"),
    ("I left Google for Meta.", "employer", "Meta"),
    ("My doctor put me on lisinopril.", "medication", "lisinopril"),
    ("I take 20mg of citalopram daily.", "citalopram_dose", "20mg"),
    ("We got a dog, his name is Bruno.", "pet", "Bruno"),
    ("I was born on 12 May 1988.", "birthday", "12 May 1988"),
    ("The deadline for the thesis has been extended to July 1.", "thesis_deadline", "July 1"),
    ("We switched from MySQL to Postgres.", "database", "Postgres"),
    ("Tom owns the search service.", "search_service_owner", "Tom"),
    ("My favourite band is Radiohead.", "favourite_band", "Radiohead"),
    ("The budget went up to $70k.", "budget", "$70k"),
]


@pytest.mark.parametrize("text", NOTHING.strip().splitlines())
def test_it_says_nothing_of_its_author(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(("text", "attribute", "value"), SAID)
def test_it_says(text: str, attribute: str, value: str) -> None:
    found = [(claim.attribute, claim.value) for claim in extract(text)]
    assert (attribute, value) in found


def test_a_correction_names_what_was_wrong() -> None:
    earlier = extract("I live in Basel.")
    [claim] = extract("No, I meant Bern.", earlier)
    assert (claim.modality, claim.wrong, claim.value) == (Modality.CORRECTION, "Basel", "Bern")
    assert extract("I meant well.", earlier) == extract("I meant Bern.") == []


def test_every_quote_is_word_for_word() -> None:
    text = "So — I’m a nurse… and I live in Graz, you know.\n```\nI live in Rome.\n```"
    claims = extract(text)
    assert {claim.attribute for claim in claims} == {"job", "residence"}
    assert all(claim.quote in text for claim in claims)


def test_patterns_are_of_attributes_that_are_known() -> None:
    named = {pattern.attribute for pattern in PATTERNS if pattern.attribute}
    assert named - KNOWN.keys() == {"favourite"}
    assert len(named) >= 30


@pytest.mark.parametrize(
    "piece", ["I ", "I'm ", "my ", "we've just ", "I take ibuprofen and ", "A ", '"', "'s", ". "]
)
def test_no_text_takes_long(piece: str) -> None:
    started = time.process_time()
    extract("I live in " + piece * (100_000 // len(piece)))
    assert time.process_time() - started < 5
