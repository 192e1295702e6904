"""Measurement of how well Search finds: conversations with questions whose answers are known, by the public RPCs.

`run` asks, `metrics` judges, `report` sums up; `variants` names the ways of ranking that can be compared.
"""
