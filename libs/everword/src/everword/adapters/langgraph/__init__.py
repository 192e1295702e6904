"""Everword as the store of LangGraph: `pip install everword[langgraph]`.

```python
store = EverwordStore(Everword())
graph = builder.compile(store=store)
```
"""

from everword.adapters.langgraph.store import EverwordStore

__all__ = ["EverwordStore"]
