"""Sleep: learn from finished sessions with a language model, and put what is known in order.

`model` has the values that stages pass on, `work` what they collect, `asking` how they ask a model, `stages` their
order. `job` runs them; `applying` stores what they found in one transaction that counts only while the job is held.
"""
