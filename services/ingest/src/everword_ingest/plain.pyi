from collections.abc import Mapping
from typing import final

from everword.text.ranking_record import Traits

@final
class Plain:
    @property
    def traits(self) -> Traits: ...
    @property
    def words(self) -> str: ...
    @property
    def terms(self) -> bytes: ...
    @property
    def may_hold_literal(self) -> bool: ...

def read_plain(text: str, hashes: Mapping[str, bytes]) -> Plain | None: ...
