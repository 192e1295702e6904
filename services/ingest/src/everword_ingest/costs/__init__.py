"""CostService: what models cost, by the ledger, and the budgets that limit it."""
