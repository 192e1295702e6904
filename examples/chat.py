"""A chat on the terminal that remembers. OPENAI_BASE_URL and MODEL name a model, an empty line ends it."""

import os

import httpx2

from everword.client import Everword, Message


def ask(context: str, text: str) -> str:
    messages = [{"role": "system", "content": context}, {"role": "user", "content": text}]
    request = {"model": os.environ["MODEL"], "messages": messages}
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    reply = httpx2.post(url, json=request, timeout=60).raise_for_status().json()
    return str(reply["choices"][0]["message"]["content"])


with Everword(agent="helper") as memory:
    while text := input("> "):
        context = memory.context(text, session="terminal", subject="me")
        answer = ask(f"You are a helpful assistant.\n\n{context}", text)
        memory.append("terminal", text, Message(answer, role="assistant"), subject="me")
        print(answer)
