import asyncio, random, time, statistics
import pytest
from support.databases import cloned
from support.lore import *
from support.stack import running_stack
from support.calls import message, ASSISTANT
from everword.v1 import context_service_pb2 as context

async def test_bench(postgres_url):
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            chance = random.Random(1)
            words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(4, 10))) for _ in range(5000)]
            def text(n): return " ".join(chance.choices(words, k=n))
            conv = await tell(stack, "a", *[message(text(280)[:2048], role=(2,3)[i%2]) for i in range(60)])
            async def t(label, **f):
                times=[]
                for i in range(60):
                    s=time.perf_counter(); r=await build(stack, conversation_id=conv, query=text(20), **f); times.append((time.perf_counter()-s)*1e3)
                print(label, "first %.1f median %.2f"%(times[0], statistics.median(times[20:])), len(lore_of(r)), r.omitted)
            await t("none")
            s=time.perf_counter()
            entries=[entry(f"E{i}", text(40), *chance.choices(words,k=3), priority=i) for i in range(1000)]
            await import_book(stack, entries, agent="a")
            print("import 1000: %.0f ms"%((time.perf_counter()-s)*1e3))
            await t("1000 entries, depth 5")
            for e in entries: e.sticky_turns=10; e.prevent_recursion=True
            await import_book(stack, entries, agent="a")
            await t("sticky 10, no recursion")
            for e in entries: e.sticky_turns=100; e.prevent_recursion=False
            await import_book(stack, entries, agent="a")
            await t("sticky 100")
            few=[entry(f"E{i}", text(40), *[text(2) for _ in range(3)], priority=i, sticky_turns=3) for i in range(1000)]
            few[3].triggers.append(trigger(words[5]))
            await import_book(stack, few, agent="a")
            await t("1000 entries that seldom fire")
