"""`everword bench peers`: Everword compared with other stores on the same messages, questions and model.

`adapter`, `libraries` and `minilm` run in the peers' own environment, without Everword's dependencies.
"""
