-- Statements on the ledger of model costs: the services' own calls, and calls reported by agents.

-- insert_usage --
-- Add model calls to the ledger of the transaction's namespace, and charge its budgets.
SELECT record_usage(%(records)s::jsonb, %(batch_id)s::uuid);

-- lock_budget_changes --
-- Block changes of the namespace's budgets until the end of the transaction. The lock is shared: recordings do not
-- block each other.
SELECT share_lock(%(namespace_id)s, 'budgets');

-- find_spent_budget --
-- Return an exceeded monthly budget that forbids another call: the namespace's, the model's, or the one of the
-- conversation's agent.
SELECT budget_id, period, resets_at,
       extract(epoch FROM resets_at - coalesce(%(now)s::timestamptz, now()))::float8 AS seconds
  FROM (SELECT b.id AS budget_id, s.period,
               ((s.period || '-01')::timestamp + interval '1 month')
               AT TIME ZONE (SELECT n.time_zone FROM namespaces n WHERE n.id = %(namespace_id)s) AS resets_at
          FROM budgets b
          JOIN budget_spending s ON s.namespace_id = %(namespace_id)s AND s.budget_id = b.id
           AND s.period = (SELECT month_of(coalesce(%(now)s::timestamptz, now()), n.time_zone)
                             FROM namespaces n WHERE n.id = %(namespace_id)s)
         WHERE b.namespace_id = %(namespace_id)s AND b.period = 2
           AND (b.scope = 1 OR b.scope = 3 AND b.scope_value = %(model)s
                OR b.scope = 2 AND b.scope_value = (
                   SELECT c.agent FROM conversations c
                    WHERE c.namespace_id = %(namespace_id)s AND c.id = %(conversation_id)s::uuid))
           AND budget_is_reached(s.cost, s.tokens, b.max_cost, b.max_tokens, 100)
         ORDER BY b.id
         LIMIT 1) AS spent;

-- has_price --
-- Return whether a model has a price today. Prices are shared by the whole deployment.
SELECT EXISTS (SELECT FROM model_prices WHERE model = %(model)s AND valid_from <= (now() AT TIME ZONE 'UTC')::date);
