"""Ask the configured language model a short question, to see whether and how its server answers."""

from __future__ import annotations

from dataclasses import replace

from everword.chat.errors import BadAnswer, ChatBudgetSpent, ChatError
from everword.chat.model import ChatRequest, UsageRecord
from everword.chat.settings import ChatSettings
from everword.costs.model import own_call
from everword.costs.store import find_spent_budget, insert_usage
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor.maintenance.model import ModelCheck

#: A small example of what Sleep asks. Models that always think need most of the tokens for that.
_QUESTION = ChatRequest(
    task="check",
    system='Answer with JSON: {"city": "..."}.',
    user="In which city does the user live? Message: I have lived in Porto since May.",
    max_tokens=1_000,
    temperature=0.0,
    schema={
        "type": "object",
        "properties": {"city": {"type": "string", "minLength": 1, "maxLength": 100}},
        "required": ["city"],
        "additionalProperties": False,
    },
)


async def check_model(
    database: Database, namespace: NamespaceScope, settings: ChatSettings
) -> ModelCheck:
    """Return how the model answers, and record the cost. The caller's deadline ends a slow answer."""
    # The client takes long to import, and nothing else in this service needs it.
    from everword.chat.client import ChatClient

    usage: list[UsageRecord] = []
    client = ChatClient(replace(settings, pauses_s=()), usage.append)
    try:
        async with database.transaction(namespace.id) as conn:
            if await find_spent_budget(conn, namespace.id, settings.model):
                raise ChatBudgetSpent
        context_tokens = await client.context_tokens()
        await client.complete(_QUESTION)
    except BadAnswer as error:
        advice = "the model may be too weak, or think too long"
        return ModelCheck(f"{type(error).__name__}: {error}; {advice}")
    except ChatError as error:
        return ModelCheck(f"{type(error).__name__}: {error}")
    finally:
        await client.close()
        if usage:
            async with database.transaction(namespace.id) as conn:
                await insert_usage(conn, [own_call(record) for record in usage])
    return ModelCheck("", client.dialect.answer_form, context_tokens, usage[-1].seconds)
