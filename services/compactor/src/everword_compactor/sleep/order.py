"""The order of the stages, which are named after their work; the numbers are those of Riverse's fourteen steps.

Step 1, loading, comes before them (`load_inputs`); step 14, marking sessions as done, ends the transaction
(`apply_writes`).
"""

from __future__ import annotations

from everword_compactor.sleep.people.find_events import EVENTS
from everword_compactor.sleep.people.find_people import PEOPLE
from everword_compactor.sleep.people.strategies import STRATEGIES
from everword_compactor.sleep.people.update_trajectory import TRAJECTORY
from everword_compactor.sleep.people.user_model import USER_MODEL
from everword_compactor.sleep.stages.behaviour import BEHAVIOUR
from everword_compactor.sleep.stages.classify import CLASSIFY
from everword_compactor.sleep.stages.confirm import CONFIRM
from everword_compactor.sleep.stages.consolidate import CONSOLIDATE
from everword_compactor.sleep.stages.disputes import DISPUTES
from everword_compactor.sleep.stages.edges import EDGES_STAGE
from everword_compactor.sleep.stages.expire import EXPIRE
from everword_compactor.sleep.stages.mature import MATURE
from everword_compactor.sleep.stages.observe import OBSERVE
from everword_compactor.sleep.stages.topics import TOPICS
from everword_compactor.sleep.work import ClosingStage, SessionStage

#: Steps 2 to 4, for each session: its observations become pending writes.
SESSION_STAGES: tuple[SessionStage, ...] = (OBSERVE, BEHAVIOUR, CLASSIFY, PEOPLE, EVENTS, TOPICS)
#: 5 to 13, for each subject whose sessions were stored, and every night.
CLOSING_STAGES: tuple[ClosingStage, ...] = (
    CONFIRM,
    DISPUTES,
    EDGES_STAGE,
    EXPIRE,
    MATURE,
    USER_MODEL,
    TRAJECTORY,
    CONSOLIDATE,
    STRATEGIES,
)
