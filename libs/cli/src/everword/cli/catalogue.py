"""All commands by topic, with one line about each. Listing them imports no command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CommandEntry(NamedTuple):
    """A command in the list of commands."""

    #: `module:name` below `everword.cli`, or the name of the distribution that provides the command.
    place: str
    #: At most 60 characters, so that it fits on a line of 80 columns.
    line: str

    @property
    def distribution(self) -> str:
        """The distribution that provides the command; empty for this one."""
        return "" if ":" in self.place else self.place


#: Topics have one word each, which `everword help` takes; no topic has the name of a command.
TOPICS: Mapping[str, Mapping[str, CommandEntry]] = {
    "start": {
        "up": CommandEntry("up:up", "Start everything on this machine, until Ctrl-C."),
        "demo": CommandEntry(
            "demo:demo", "Run Everword on a sample conversation, and keep nothing."
        ),
        "doctor": CommandEntry("doctor:doctor", "Check a deployment, and advise what to do."),
        "help": CommandEntry("help:show_help", "Describe a topic or a command."),
    },
    "read": {
        "search": CommandEntry("search:search", "Find memories by a query, most relevant first."),
        "context": CommandEntry(
            "context:context", "Build an agent's context within a token budget."
        ),
        "answer": CommandEntry("answer:answer", "Answer a question from memories, with citations."),
        "browse": CommandEntry("browse:browse", "List memories by time, newest first."),
        "get": CommandEntry("get:get", "Show one memory, message, summary or conversation."),
        "ls": CommandEntry("addresses:ls", "List an address, such as viking://acme/notes."),
        "cat": CommandEntry("addresses:cat", "Show the memory at an address."),
        "conversations": CommandEntry(
            "conversations:conversations", "List conversations, newest first."
        ),
        "summaries": CommandEntry("summaries:summaries", "List and show summaries of messages."),
        "export": CommandEntry("export:export", "Write the transcript of a conversation."),
        "watch": CommandEntry("watch:watch", "Follow changes of memories as they happen."),
    },
    "write": {
        "import": CommandEntry(
            "import_:import_", "Import conversations, notes and documents from files."
        ),
        "notes": CommandEntry("notes:notes", "Write, read and delete notes and the daily log."),
        "documents": CommandEntry(
            "documents:documents", "Upload, write, read and delete documents."
        ),
        "workspace": CommandEntry(
            "workspace:workspace", "Write and read an agent's files, such as SOUL."
        ),
        "lore": CommandEntry("lore.commands:lore", "Write, import and test lorebooks."),
        "handoffs": CommandEntry("handoffs:handoffs", "Show handoffs, and grant advisors a key."),
        "checkpoints": CommandEntry(
            "checkpoints:checkpoints", "Save and restore an agent's state."
        ),
    },
    "knowledge": {
        "facts": CommandEntry("facts:facts", "Show facts with their history and evidence."),
        "people": CommandEntry("people:people", "List the people whom users mention."),
        "events": CommandEntry("people:events", "List events in users' lives."),
        "sessions": CommandEntry("people:sessions", "List the sessions that Sleep has read."),
        "strategies": CommandEntry("people:strategies", "List questions that are worth asking."),
        "graph": CommandEntry("graph.commands:graph", "Show and write the graph of entities."),
        "topics": CommandEntry("topics:topics", "Show pages about people, places and things."),
        "themes": CommandEntry("themes:themes", "List the themes of memories."),
        "patterns": CommandEntry(
            "patterns:patterns", "List learned patterns with their confidence."
        ),
        "sleep": CommandEntry("sleep:sleep", "Learn from conversations now."),
        "end": CommandEntry("end:end", "End the session of a conversation."),
        "compact": CommandEntry("compact:compact", "Schedule summaries of conversations."),
        "rollup": CommandEntry(
            "calendar:rollup", "Schedule summaries of days, weeks, months and years."
        ),
    },
    "deletion": {
        "erase": CommandEntry("erasures:erase", "Erase data with everything derived from it."),
        "erasures": CommandEntry("erasures:erasures", "List erasures, without content."),
        "retention": CommandEntry("retention:retention", "Set how long data is kept."),
    },
    "administration": {
        "namespaces": CommandEntry(
            "namespaces:namespaces", "Create, change, move and delete namespaces."
        ),
        "keys": CommandEntry("keys:keys", "Create, list, rotate and revoke API keys."),
        "models": CommandEntry("models:models", "Add, switch and drop embedding models."),
        "costs": CommandEntry("costs.costs:costs", "Show tokens and money spent on models."),
        "budget": CommandEntry("costs.budget:budget", "Set, list and delete budgets for models."),
        "prices": CommandEntry("costs.prices:prices", "Load and list the prices of models."),
    },
    "interfaces": {
        "call": CommandEntry("call:call", "Call any public RPC with JSON; list all RPCs."),
        "mcp": CommandEntry("everword-web", "Serve tools for agents (MCP) over stdio."),
        "web": CommandEntry("everword-web", "Serve JSON over HTTP, tools (MCP) and the console."),
        "proxy": CommandEntry("proxy:proxy", "Serve all services at one address, with Caddy."),
        "protoset": CommandEntry(
            "protoset:protoset", "Print the path of the protoset for grpcurl."
        ),
    },
    "operations": {
        "stats": CommandEntry("stats:stats", "Show problems, counts, sizes and lag."),
        "queue-status": CommandEntry("maintenance:queue_status", "Show waiting and failed jobs."),
        "compaction-status": CommandEntry(
            "audit:compaction_status", "Show the state of summaries."
        ),
        "retry-failed": CommandEntry("maintenance:retry_failed", "Retry failed jobs."),
        "backfill": CommandEntry("maintenance:backfill", "Schedule missing background work."),
        "audit": CommandEntry("audit:audit", "Check summaries against their sources."),
        "migrate": CommandEntry("migrate:migrate", "Update a database's schema."),
        "backup": CommandEntry(
            "backup.commands:backup", "Back up the whole database while it runs."
        ),
        "restore": CommandEntry(
            "backup.commands:restore", "Restore a backup into an empty database."
        ),
        "verify": CommandEntry("verify:verify", "Check the integrity of stored data."),
        "rebuild": CommandEntry("rebuild:rebuild", "Rebuild derived rows, such as the index."),
        "bench": CommandEntry("everword-bench", "Measure retrieval quality and speed."),
        "calibrate": CommandEntry("everword-bench", "Calibrate relevance with answered questions."),
    },
}
ENTRIES: Mapping[str, CommandEntry] = {
    name: entry for entries in TOPICS.values() for name, entry in entries.items()
}
#: Commands that the overview describes.
COMMON = ("up", "demo", "doctor", "import", "search", "context", "facts", "stats", "call")
