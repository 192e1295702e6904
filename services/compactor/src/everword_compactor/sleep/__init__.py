"""Sleep: learn from finished sessions with a language model, and maintain learned facts.

`model` has the values that stages pass on, `work` their collected results, `prompts` their questions to a model, and
`stages` their order. `job` runs them; `apply_writes` stores the results in one transaction that commits only while this
worker owns the job.
"""
