"""What Sleep learns beside facts: people, events, a model of the user, a trajectory, and what is worth asking.

`mentions` says what is said of a person or an event, and `names` who is who. `fold_people` and `fold_events` tell what
follows from all that was said, `traits` and `questions` what is learned and asked: none of them knows a database.
`writer` is the one way to write people and events, `strategies` to write questions, `user_models` to write the model of
a user and where they are heading, and `review` to rule. Nothing is edited: what is stored beside the evidence follows
from it.
"""
