-- Statements on the ledger of what models cost, for the services that ask models and for what agents report.

-- insert_usage --
-- Add calls of models to the ledger of the namespace that the transaction is set to, and charge its budgets.
SELECT record_usage(%(records)s::jsonb, %(batch_id)s::uuid);

-- lock_budget_changes --
-- Let nobody set a budget in the namespace until the end of the transaction.
SELECT pg_advisory_xact_lock_shared(hashtextextended('budgets', %(namespace_id)s));

-- find_spent_budget --
-- A budget of months that stands against another call: of the namespace, of the model, or of the agent of a conversation.
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
                OR b.scope = 2 AND b.scope_value = agent_of(%(conversation_id)s::uuid))
           AND budget_is_reached(s.cost, s.tokens, b.max_cost, b.max_tokens, 100)
         ORDER BY b.id
         LIMIT 1) AS spent;

-- has_price --
-- Whether a model has a price today, from anybody. Prices are the deployment's.
SELECT EXISTS (SELECT FROM model_prices WHERE model = %(model)s AND valid_from <= (now() AT TIME ZONE 'UTC')::date);
