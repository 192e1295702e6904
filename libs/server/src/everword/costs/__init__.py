"""Costs of models: the ledger of their calls, and budgets.

Every call goes into one ledger, by `insert_usage`: calls reported by agents, and those of the services. The database
finds the price of each, and charges the budgets that count it, in the transaction that stores it.
"""
