"""An agent in LangGraph without a checkpointer: its memory is Everword, so that any process goes on where one ended.

python examples/langgraph_agent.py "My boat is called Iris."
python examples/langgraph_agent.py "What is my boat called?"
"""

import re
import sys

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph

from everword.client import Everword, Message

memory = Everword(agent="helper")


class State(MessagesState):
    """The turn at hand, and what is remembered for it."""

    context: str


def model(messages: list[AnyMessage]) -> AIMessage:
    """Stand in for a chat model: it knows what stands in its prompt, and nothing else."""
    known = re.search(r"My boat is called (\w+)", str(messages[0].content))
    asked = str(messages[-1].content).endswith("?")
    if not asked:
        return AIMessage("I will remember that.")
    return AIMessage(f"It is called {known[1]}." if known else "I do not know.")


def recall(state: State, config: RunnableConfig) -> dict[str, str]:
    question, thread = str(state["messages"][-1].content), config["configurable"]["thread_id"]
    return {"context": str(memory.context(question, session=thread, subject="me"))}


def answer(state: State) -> dict[str, list[AIMessage]]:
    system = SystemMessage(f"You are a helpful assistant.\n\n{state['context']}")
    return {"messages": [model([system, *state["messages"]])]}


def keep(state: State, config: RunnableConfig) -> None:
    said, answered = (str(message.content) for message in state["messages"][-2:])
    turn = (said, Message(answered, role="assistant"))
    memory.append(config["configurable"]["thread_id"], *turn, subject="me")


builder = StateGraph(State)
builder.add_node(recall).add_node(answer).add_node(keep)
builder.add_edge(START, "recall").add_edge("recall", "answer")
builder.add_edge("answer", "keep").add_edge("keep", END)
agent = builder.compile()

with memory:
    turn = State(messages=[HumanMessage(sys.argv[1])], context="")
    done = agent.invoke(turn, {"configurable": {"thread_id": "terminal"}})
    print(done["messages"][-1].content)
