"""The order of the stages. Each is named after what it does; the numbers are those of Riverse's fourteen steps.

Step 1, loading, comes before them (`loading`); step 14, marking what was done, ends the transaction (`applying`).
"""

from __future__ import annotations

from everword_compactor.sleep.work import ClosingStage, SessionStage

#: 2 to 4, for each session: what it says becomes pending writes.
SESSION_STAGES: tuple[SessionStage, ...] = ()
#: 5 to 13, for each subject whose sessions were stored, and every night.
CLOSING_STAGES: tuple[ClosingStage, ...] = ()
