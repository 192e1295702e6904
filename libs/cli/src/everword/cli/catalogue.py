"""Which commands there are, by what they are for, and one line about each: a list of them loads none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CommandEntry(NamedTuple):
    """A command in the list of commands."""

    #: `module:name` below `everword.cli`; for what another distribution brings, that distribution's name.
    place: str
    #: At most 60 characters, so that a terminal of 80 columns shows it whole.
    line: str

    @property
    def distribution(self) -> str:
        """The distribution that brings the command; empty where it is this one."""
        return "" if ":" in self.place else self.place


SECTIONS: Mapping[str, Mapping[str, CommandEntry]] = {
    "Begin": {
        "up": CommandEntry("up:up", "Start everything on this machine, until Ctrl-C."),
        "demo": CommandEntry(
            "demo:demo", "See it at work on a sample, then stop and leave nothing."
        ),
        "doctor": CommandEntry(
            "doctor:doctor", "Say what is wrong with a deployment, and what to do."
        ),
    },
    "Find": {
        "search": CommandEntry("search:search", "Find memories by what is asked, best first."),
        "context": CommandEntry(
            "context:context", "Fill a token budget with what matters to a question."
        ),
        "answer": CommandEntry(
            "answer:answer", "Answer a question from memory alone, with citations."
        ),
        "browse": CommandEntry("browse:browse", "List memories by time, newest first."),
        "get": CommandEntry("get:get", "Show one memory, message, summary or conversation."),
        "ls": CommandEntry(
            "addresses:ls", "List what is at an address such as viking://acme/notes."
        ),
        "cat": CommandEntry("addresses:cat", "Show the memory at an address."),
        "conversations": CommandEntry(
            "conversations:conversations", "List conversations, newest first."
        ),
        "summaries": CommandEntry("summaries:summaries", "Show what stands for which messages."),
        "flush": CommandEntry(
            "flush:flush", "Get what stands for old turns when a context is full."
        ),
        "export": CommandEntry("export:export", "Write a conversation's transcript, oldest first."),
        "watch": CommandEntry(
            "watch:watch", "Follow what is written, ends, expires and is deleted."
        ),
    },
    "Write": {
        "import": CommandEntry(
            "import_:import_", "Import conversations, notes and documents from files."
        ),
        "notes": CommandEntry(
            "notes:notes", "Write, read and delete notes, and the log of the day."
        ),
        "handoffs": CommandEntry(
            "handoffs:handoffs", "Hand a task to an advisor, and read the advice."
        ),
        "documents": CommandEntry(
            "documents:documents", "Upload, write, read and delete documents."
        ),
        "workspace": CommandEntry(
            "workspace:workspace", "Write and read an agent's files, such as SOUL."
        ),
        "lore": CommandEntry("lore.commands:lore", "Write, import and try lorebooks."),
        "significant": CommandEntry(
            "calendar:significant", "Write down what no summary consolidates."
        ),
        "checkpoints": CommandEntry(
            "checkpoints:checkpoints", "Save an agent's state, and get it back."
        ),
    },
    "What was learned: see it, and set it right": {
        "facts": CommandEntry("facts:facts", "What is known of somebody, since when, and why."),
        "people": CommandEntry("people:people", "Whom somebody speaks of, and how that is known."),
        "events": CommandEntry("people:events", "What happens to somebody, and how that is known."),
        "graph": CommandEntry(
            "graph.commands:graph", "Who and what there is, and how it is related."
        ),
        "topics": CommandEntry("topics:topics", "Pages about persons, places and things."),
        "themes": CommandEntry("themes:themes", "What memories are about, as it was last night."),
        "patterns": CommandEntry(
            "patterns:patterns", "What is done with things, and what needs no asking."
        ),
        "strategies": CommandEntry("people:strategies", "What is worth asking."),
        "sleep": CommandEntry("sleep:sleep", "Learn from conversations now."),
        "compact": CommandEntry("compact:compact", "Have conversations summed up."),
        "rollup": CommandEntry("calendar:rollup", "Have days, weeks, months and years summed up."),
    },
    "Take back": {
        "erase": CommandEntry("erasures:erase", "Erase something with everything derived from it."),
        "erasures": CommandEntry(
            "erasures:erasures", "List what was erased and when, without content."
        ),
        "retention": CommandEntry(
            "retention:retention", "Set for how long things are kept; without it, for ever."
        ),
    },
    "Run it for others": {
        "namespaces": CommandEntry(
            "namespaces:namespaces", "Make, show, change, move and delete namespaces."
        ),
        "keys": CommandEntry("keys:keys", "Make, list, rotate and revoke API keys."),
        "costs": CommandEntry(
            "costs.costs:costs", "What the calls of models cost, in tokens and in money."
        ),
        "budget": CommandEntry(
            "costs.budget:budget", "Set and list limits of what models may cost."
        ),
        "prices": CommandEntry("costs.prices:prices", "Load and list the prices of models."),
        "models": CommandEntry(
            "models:models", "Embedding models: list, add, progress, switch, drop."
        ),
        "proxy": CommandEntry("proxy:proxy", "Serve all services at one address, with Caddy."),
        "web": CommandEntry("everword-web", "Serve JSON over HTTP, tools (MCP), and the console."),
        "mcp": CommandEntry("everword-web", "Offer memory as tools to an agent's host (stdio)."),
        "call": CommandEntry(
            "call:call", "Call any public RPC with JSON; list services and methods."
        ),
        "protoset": CommandEntry("protoset:protoset", "Print where the protoset for grpcurl is."),
    },
    "Look after it": {
        "stats": CommandEntry(
            "stats:stats", "Say what needs attention, then counts, sizes and lag."
        ),
        "queue-status": CommandEntry(
            "maintenance:queue_status", "Say what work waits, and what failed and why."
        ),
        "compaction-status": CommandEntry(
            "audit:compaction_status", "Say how summaries are made, and what waits."
        ),
        "retry-failed": CommandEntry(
            "maintenance:retry_failed", "Schedule again what failed for good."
        ),
        "backfill": CommandEntry("maintenance:backfill", "Schedule work that nobody scheduled."),
        "audit": CommandEntry("audit:audit", "Hold what was derived against what it came from."),
        "migrate": CommandEntry("migrate:migrate", "Bring a database's schema up to date."),
        "backup": CommandEntry(
            "backup.commands:backup", "Save the whole database while Everword goes on."
        ),
        "restore": CommandEntry(
            "backup.commands:restore", "Restore a backup into an empty database."
        ),
        "verify": CommandEntry("verify:verify", "Check that everything that is stored is sound."),
        "rebuild": CommandEntry("rebuild:rebuild", "Derive again what is derived from other rows."),
        "bench": CommandEntry(
            "everword-bench", "Measure how well Search finds, and how fast it is."
        ),
        "calibrate": CommandEntry(
            "everword-bench", "Fit relevance to questions whose answers are known."
        ),
    },
}
ENTRIES: Mapping[str, CommandEntry] = {
    name: entry for entries in SECTIONS.values() for name, entry in entries.items()
}
