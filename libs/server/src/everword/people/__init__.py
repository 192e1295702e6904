"""Results of Sleep other than facts: people, events, a model of the user, a trajectory, and questions worth asking.

`mentions` turns mentions into statements, and `names` identifies people. `fold_people` and `fold_events` compute the
state from all statements, `traits` and `questions` contain the rules for these: all of them work without a database.
`writer` is the one way to write people and events, `strategies` to write questions, `user_models` to write the model of
a user and the trajectory, and `review` to rule. Rows are never edited: the stored state is computed from the evidence.
"""
