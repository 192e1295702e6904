"""Write the graph relations that facts state, by rules on their attributes; a relation holds as long as its fact."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.db.statements import fetch_all
from everword.facts.attributes import KNOWN
from everword.facts.model import USER
from everword.graph import store
from everword.graph.labels import clean_label, find_anchor, label_hash
from everword.graph.model import (
    GraphScope,
    GraphSource,
    GraphWrite,
    NewGraphEdge,
    NewGraphNode,
    NodeReference,
)
from everword.graph.writer import write_graph
from everword_compactor.topics.store import SQL

#: No name is longer, in words.
_MOST_WORDS = 6
_ARTICLES = frozenset(["a", "an", "the", "my", "our", "some", "this"])


@dataclass(frozen=True)
class EstablishedFact:
    """A fact that is more than suspected, with the latest words that say so."""

    id: UUID
    subject: str
    attribute: str
    value: str
    confidence: float
    message_id: UUID | None
    quote: str


@dataclass(frozen=True)
class FactRelation:
    """The relation that a fact of an attribute states."""

    #: As a type of edges.
    type: str
    from_type: str
    to_type: str
    #: True if the owner of the attribute has a capitalised name; projects may not.
    of_person: bool = True


#: By attribute: those whose values are persons, places and things.
RELATIONS: Mapping[str, FactRelation] = {
    "employer": FactRelation("works_at", "person", "organisation"),
    "residence": FactRelation("lives_in", "person", "place"),
    "hometown": FactRelation("comes_from", "person", "place"),
    "partner": FactRelation("partner_is", "person", "person"),
    "child": FactRelation("child_is", "person", "person"),
    "sibling": FactRelation("sibling_is", "person", "person"),
    "parent": FactRelation("parent_is", "person", "person"),
    "friend": FactRelation("friend_is", "person", "person"),
    "pet": FactRelation("has_pet", "person", "animal"),
    "vehicle": FactRelation("drives", "person", "vehicle"),
    "language": FactRelation("speaks", "person", "language"),
    "owner": FactRelation("owned_by", "thing", "person", of_person=False),
    "database": FactRelation("uses", "project", "technology", of_person=False),
    "stack": FactRelation("uses", "project", "technology", of_person=False),
    "editor": FactRelation("uses", "person", "technology"),
}


@dataclass(frozen=True)
class NamedRelation:
    """The relation of a fact, with its owner and its value as nodes."""

    relation: FactRelation
    from_label: str
    to_label: str

    @property
    def ends(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Both ends: the label, and the type unless the graph has another."""
        relation = self.relation
        return (self.from_label, relation.from_type), (self.to_label, relation.to_type)


#: Stands for a node that was removed from the graph.
_DELETED = NodeReference()


def relation_of(attribute: str, value: str, quote: str) -> NamedRelation | None:
    """Return the relation that a fact states; None if there is none.

    For an attribute of another person, such as `ana_employer`, the quote must have the name, in its spelling there.
    """
    of, _, kind = attribute.rpartition("_")
    relation = RELATIONS.get(attribute) or RELATIONS.get(kind)
    to_label = clean_label(value)
    if relation is None or not _is_name(to_label) or (attribute in KNOWN and of):
        return None
    if attribute in RELATIONS:
        return NamedRelation(relation, "user", to_label)
    said = re.search(r"\b" + r"[\W_]+".join(of.split("_")) + r"\b", quote, re.IGNORECASE)
    if said is None or find_anchor(said[0]):
        return None
    if relation.of_person and not said[0][:1].isupper():
        return None
    return NamedRelation(relation, clean_label(said[0]), to_label)


def _is_name(label: str) -> bool:
    words = label.split()
    if not words or len(words) > _MOST_WORDS or words[0].lower() in _ARTICLES:
        return False
    return find_anchor(label) is None


def scope_of(subject: str) -> GraphScope:
    """Return the part of the graph for facts about a subject."""
    return GraphScope("", "" if subject == USER else subject)


async def relate_facts(
    conn: Connection, namespace_id: int, settings: NamespaceSettings, fact_ids: Sequence[UUID]
) -> int:
    """Write the relations of facts of one subject that are more than suspected; returns how many."""
    sure = await _find_established_facts(conn, namespace_id, fact_ids)
    written = 0
    for subject, own in groupby(sorted(sure, key=lambda fact: fact.subject), lambda f: f.subject):
        said = [
            (fact, named)
            for fact in own
            if (named := relation_of(fact.attribute, fact.value, fact.quote)) is not None
        ]
        if said:
            written += await _write(conn, namespace_id, settings, scope_of(subject), said)
    return written


async def _find_established_facts(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[EstablishedFact]:
    """Return those of some facts that are more than suspected, and that no edge holds with yet."""
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return await fetch_all(conn, SQL["find_established_facts"], parameters, EstablishedFact)


async def _write(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    scope: GraphScope,
    said: Sequence[tuple[EstablishedFact, NamedRelation]],
) -> int:
    requested = {end for _, named in said for end in named.ends if not find_anchor(end[0])}
    found = await _find_known(conn, namespace_id, scope, sorted(requested))
    edges = list[NewGraphEdge]()
    for fact, named in said:
        one, other = (found.get(end) or NodeReference(None, *end) for end in named.ends)
        if _DELETED not in (one, other):
            edges.append(_edge(fact, named, one, other))
    ends = dict.fromkeys(ref for edge in edges for ref in (edge.from_node, edge.to_node))
    nodes = [
        NewGraphNode(ref.label, ref.type) for ref in ends if (ref.label, ref.type) in requested
    ]
    write = GraphWrite(scope, GraphSource.MACHINE, nodes, edges)
    return (await write_graph(conn, namespace_id, settings, write)).created_edges if edges else 0


def _edge(
    fact: EstablishedFact, named: NamedRelation, from_node: NodeReference, to_node: NodeReference
) -> NewGraphEdge:
    return NewGraphEdge(
        from_node,
        to_node,
        named.relation.type,
        confidence=fact.confidence,
        message_id=fact.message_id,
        quote=fact.quote,
        fact_id=fact.id,
    )


async def _find_known(
    conn: Connection, namespace_id: int, scope: GraphScope, wanted: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], NodeReference]:
    """Return the nodes that labels mean already, whatever type these have; or `_DELETED`."""
    hashes = {label: label_hash(label) for label, _ in wanted}
    if not hashes:
        return {}
    rows = await store.find_names(conn, namespace_id, sorted(set(hashes.values())))
    versions = await store.find_versions(conn, namespace_id, [row.node_id for row in rows])
    found = dict[tuple[str, str], NodeReference]()
    for label, type_ in wanted:
        own = [row for row in rows if row.label_hash == hashes[label]]
        for around in scope.widening:
            near = [row for row in own if row.key.scope == around]
            alive = [row for row in near if row.node_id in versions]
            # Prefer a node of the same type.
            if alive:
                best = min(alive, key=lambda row: (row.type != type_, row.type))
                found[label, type_] = NodeReference(best.node_id)
            elif any(row.type == type_ for row in near):
                found[label, type_] = _DELETED
            if near:
                break
    return found
