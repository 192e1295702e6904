"""Templates in which every value is escaped, because memories contain text of strangers."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from everword_web.console import phrases
from everword_web.console.highlight import highlight

#: (path, title) of the pages in the navigation.
PLACES = (
    ("/", "Overview"),
    ("/search", "Search"),
    ("/conversations", "Conversations"),
    ("/facts", "Facts"),
    ("/people", "People"),
    ("/events", "Events"),
    ("/graph", "Graph"),
    ("/documents", "Documents"),
    ("/notes", "Notes"),
    ("/lore", "Lore"),
    ("/topics", "Topics"),
    ("/themes", "Themes"),
    ("/patterns", "Patterns"),
    ("/queues", "Queues"),
    ("/costs", "Costs"),
    ("/erasures", "Erasures"),
    ("/settings", "Settings"),
)

#: Characters that reverse the direction of the following text and can so hide its meaning; their names are shown.
_OVERRIDES = {0x202D: "⟨LRO⟩", 0x202E: "⟨RLO⟩"}


def _format_value(value: object) -> object:
    return value.translate(_OVERRIDES) if isinstance(value, str) else value


_environment = Environment(
    loader=PackageLoader("everword_web.console"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_format_value,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters.update(
    age=phrases.age,
    clip=phrases.clip,
    data=phrases.data,
    day=phrases.day,
    highlight=highlight,
    money=phrases.money,
    number=phrases.number,
    plural=phrases.plural,
    share=phrases.share,
    size=phrases.size,
    when=phrases.when,
    word=phrases.word,
)
_environment.globals.update(
    places=PLACES,
    place_of_memory=phrases.place_of_memory,
    place_in_conversation=phrases.place_in_conversation,
)


def render(template: str, **values: Any) -> str:
    """Return a page, or a part of one."""
    return _environment.get_template(template).render(**values)
