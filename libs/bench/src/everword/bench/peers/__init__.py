"""`everword bench peers`: Everword beside other stores, with the same messages, questions and model.

`adapter`, `libraries` and `minilm` run in the peers' own environment, without Everword's dependencies.
"""
