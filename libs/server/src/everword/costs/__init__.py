"""What models cost: the ledger of their calls, and the limits that stand against another one.

Every call goes into one ledger, by `insert_usage`: those that agents report, and those that the services make. The
database finds the price of each, and charges the budgets that count it, in the transaction that stores it.
"""
