"""What a context says already is known by its words, whoever they are put together by."""

from __future__ import annotations

from everword_search.context.repetition import Said

_MOVED = "The dentist appointment was moved to 21 September at 11:00."
_SISTER = "My sister Yasmine lives in Montreal. She's a vet and drives a Tesla."
_DIGEST = (
    "[2026-09-10T18:00Z] [chat:01a210ed-3f6a-72ad-a5f4-572459b519db]\n"
    f"- Nadia: {_MOVED}\n- bolt: Moved to 21 September, 11:00.\n- Nadia: {_SISTER}"
)


def test_a_summary_repeats_the_messages_that_it_is_put_together_from() -> None:
    said = Said("When does Nadia see the dentist?")
    said.add(_MOVED, "Nadia")
    assert not said.repeats(_DIGEST), "one of its messages is not there"
    said.add(_SISTER, "Nadia")
    said.add("Moved to 21 September, 11:00.", "bolt")
    assert said.repeats(_DIGEST)
    assert not said.repeats(f"{_DIGEST}\n- Nadia: and it was painless"), "that is new"


def test_a_summary_repeats_another_one_of_the_same_messages() -> None:
    said = Said("")
    said.add(_DIGEST, "summary")
    assert said.repeats(_DIGEST.replace(" [chat:01a210ed-3f6a-72ad-a5f4-572459b519db]", ""))
    assert not said.repeats(_DIGEST.replace("Tesla", "Skoda"))
