"""Weight of similar letters in addition to words."""

from __future__ import annotations

from support.calls import append
from support.corpus import search_request
from support.stack import Stack


async def test_literal_adds_less_evidence_within_a_longer_question(stack: Stack) -> None:
    said = ["I updated my LinkedIn profile.", *(f"It rained on day {day}." for day in range(9))]
    await append(stack, *said)
    evidence = []
    for query in (
        "LinkedIn",
        "Which modules belong to the LinkedIn course on optimization?",
        "Which modules belong to the Linkedin course on optimization?",
    ):
        response = await stack.search.Search(search_request(query, "HYBRID", explain=True))
        [found] = [each for each in response.results if "profile" in each.memory.content]
        evidence.append(found.explanation.evidence)
    asked, in_prose, as_a_word = evidence
    assert asked > in_prose + 1
    # Without its second capital it is an ordinary word.
    assert abs(in_prose - as_a_word) < 0.5
