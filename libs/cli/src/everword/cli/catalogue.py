"""Which commands there are, by what they are for, and one line about each: a list of them loads none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Entry(NamedTuple):
    """A command in the list of commands."""

    #: `module:name` below `everword.cli`; for what another distribution brings, that distribution's name.
    place: str
    #: At most 60 characters, so that a terminal of 80 columns shows it whole.
    line: str

    @property
    def distribution(self) -> str:
        """The distribution that brings the command; empty where it is this one."""
        return "" if ":" in self.place else self.place


SECTIONS: Mapping[str, Mapping[str, Entry]] = {
    "Begin": {
        "up": Entry("up:up", "Start everything on this machine, until Ctrl-C."),
        "demo": Entry("demo:demo", "See it at work on a sample, then stop and leave nothing."),
        "doctor": Entry("doctor:doctor", "Say what is wrong with a deployment, and what to do."),
    },
    "Find": {
        "search": Entry("search:search", "Find memories by what is asked, best first."),
        "context": Entry("context:context", "Fill a token budget with what matters to a question."),
        "answer": Entry("answer:answer", "Answer a question from memory alone, with citations."),
        "browse": Entry("browse:browse", "List memories by time, newest first."),
        "get": Entry("get:get", "Show one memory, message, summary or conversation."),
        "ls": Entry("addresses:ls", "List what is at an address such as viking://acme/notes."),
        "cat": Entry("addresses:cat", "Show the memory at an address."),
        "conversations": Entry("conversations:conversations", "List conversations, newest first."),
        "summaries": Entry("summaries:summaries", "Show what stands for which messages."),
        "flush": Entry("flush:flush", "Get what stands for old turns when a context is full."),
        "export": Entry("export:export", "Write a conversation's transcript, oldest first."),
        "watch": Entry("watch:watch", "Follow what is written, ends, expires and is deleted."),
    },
    "Write": {
        "import": Entry("import_:import_", "Import conversations, notes and documents from files."),
        "notes": Entry("notes:notes", "Write, read and delete notes, and the log of the day."),
        "handoffs": Entry("handoffs:handoffs", "Hand a task to an advisor, and read the advice."),
        "documents": Entry("documents:documents", "Upload, write, read and delete documents."),
        "workspace": Entry("workspace:workspace", "Write and read an agent's files, such as SOUL."),
        "lore": Entry("lore.commands:lore", "Write, import and try lorebooks."),
        "significant": Entry("calendar:significant", "Write down what no summary consolidates."),
        "checkpoints": Entry("checkpoints:checkpoints", "Save an agent's state, and get it back."),
    },
    "What was learned: see it, and set it right": {
        "facts": Entry("facts:facts", "What is known of somebody, since when, and why."),
        "people": Entry("people:people", "Whom somebody speaks of, and how that is known."),
        "events": Entry("people:events", "What happens to somebody, and how that is known."),
        "graph": Entry("graph.commands:graph", "Who and what there is, and how it is related."),
        "topics": Entry("topics:topics", "Pages about persons, places and things."),
        "themes": Entry("themes:themes", "What memories are about, as it was last night."),
        "patterns": Entry(
            "patterns:patterns", "What is done with things, and what needs no asking."
        ),
        "strategies": Entry("people:strategies", "What is worth asking."),
        "sleep": Entry("sleep:sleep", "Learn from conversations now."),
        "compact": Entry("compact:compact", "Have conversations summed up."),
        "rollup": Entry("calendar:rollup", "Have days, weeks, months and years summed up."),
    },
    "Take back": {
        "erase": Entry("erasures:erase", "Erase something with everything derived from it."),
        "erasures": Entry("erasures:erasures", "List what was erased and when, without content."),
        "retention": Entry(
            "retention:retention", "Set for how long things are kept; without it, for ever."
        ),
    },
    "Run it for others": {
        "namespaces": Entry(
            "namespaces:namespaces", "Make, show, change, move and delete namespaces."
        ),
        "keys": Entry("keys:keys", "Make, list, rotate and revoke API keys."),
        "costs": Entry(
            "costs.costs:costs", "What the calls of models cost, in tokens and in money."
        ),
        "budget": Entry("costs.budget:budget", "Set and list limits of what models may cost."),
        "prices": Entry("costs.prices:prices", "Load and list the prices of models."),
        "models": Entry("models:models", "Embedding models: list, add, progress, switch, drop."),
        "proxy": Entry("proxy:proxy", "Serve all services at one address, with Caddy."),
        "web": Entry("everword-web", "Serve JSON over HTTP, tools (MCP), and the console."),
        "mcp": Entry("everword-web", "Offer memory as tools to an agent's host (stdio)."),
        "protoset": Entry("protoset:protoset", "Print where the protoset for grpcurl is."),
    },
    "Look after it": {
        "stats": Entry("stats:stats", "Say what needs attention, then counts, sizes and lag."),
        "queue-status": Entry(
            "maintenance:queue_status", "Say what work waits, and what failed and why."
        ),
        "compaction-status": Entry(
            "audit:compaction_status", "Say how summaries are made, and what waits."
        ),
        "retry-failed": Entry("maintenance:retry_failed", "Schedule again what failed for good."),
        "backfill": Entry("maintenance:backfill", "Schedule work that nobody scheduled."),
        "audit": Entry("audit:audit", "Hold what was derived against what it came from."),
        "migrate": Entry("migrate:migrate", "Bring a database's schema up to date."),
        "backup": Entry(
            "backup.commands:backup", "Save the whole database while Everword goes on."
        ),
        "restore": Entry("backup.commands:restore", "Restore a backup into an empty database."),
        "verify": Entry("verify:verify", "Check that everything that is stored is sound."),
        "rebuild": Entry("rebuild:rebuild", "Derive again what is derived from other rows."),
        "bench": Entry("everword-bench", "Measure how well Search finds, and how fast it is."),
        "calibrate": Entry("everword-bench", "Fit relevance to questions whose answers are known."),
    },
}
ENTRIES: Mapping[str, Entry] = {
    name: entry for entries in SECTIONS.values() for name, entry in entries.items()
}
