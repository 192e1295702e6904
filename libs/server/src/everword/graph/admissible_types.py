"""Types of nodes and relations allowed in the graph: lasting ones. Events, statements and moods belong in messages and
facts.
"""

from __future__ import annotations

#: Temporary types of nodes, and the advice for each.
_PASSING_NODES = {
    **dict.fromkeys(("emotion", "feeling", "mood", "state_of_mind"), "Remember it as a fact"),
    **dict.fromkeys(
        ("message", "conversation", "chat", "session", "turn", "utterance", "statement", "quote"),
        "Append it as a message",
    ),
    **dict.fromkeys(
        ("event", "episode", "moment", "incident", "memory", "memory_ref", "activity"),
        "Append it as a message, or record it as significant",
    ),
    **dict.fromkeys(
        ("task", "todo", "reminder", "appointment", "meeting", "deadline"), "Remember it as a fact"
    ),
}
#: Types of relations that pass.
_PASSING_EDGES = frozenset(
    [
        "said",
        "says",
        "asked",
        "asks",
        "answered",
        "mentioned",
        "mentions",
        "told",
        "tells",
        "talked_about",
        "talks_about",
        "discussed",
        "talking_to",
        "replied",
        "wrote_message",
        "feels",
        "feeling",
        "felt",
        "is_feeling",
        "currently_feeling",
        "is_angry_at",
        "is_happy",
        "is_sad",
        "is_tired",
        "had_a_fight",
        "is_doing",
        "did",
        "doing",
        "visited_today",
        "went_to",
        "met_today",
        "ate",
        "saw_today",
        "happened",
        "happened_on",
        "remembers",
    ]
)
#: Smallest confidence of a program with which it may write to the graph.
MIN_CONFIDENCE = 0.7


def node_refusal_reason(type_: str) -> str:
    """Return the reason why a type of node is refused; empty if it is allowed."""
    instead = _PASSING_NODES.get(type_)
    return (
        f"{type_} is temporary, but the graph stores lasting knowledge. {instead}"
        if instead
        else ""
    )


def edge_refusal_reason(type_: str) -> str:
    """Return the reason why a type of relation is refused; empty if it is allowed."""
    if type_ not in _PASSING_EDGES:
        return ""
    return f"{type_} is temporary, but the graph stores lasting knowledge. The messages already contain it"
