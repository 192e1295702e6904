-- Statements of CostService. Writes to the usage ledger are in everword.costs.

-- fragment budget --
-- A budget with its limits.
b.id, b.period, b.scope, b.scope_value, trim_scale(b.max_cost) AS max_cost, b.currency, b.max_tokens, b.warn_percent

-- fragment event --
-- An event of a budget, with the limits at that time.
e.id, e.budget_id, b.period, b.scope, b.scope_value, trim_scale(e.max_cost) AS max_cost, e.currency, e.max_tokens,
e.warn_percent, e.period AS in_period, trim_scale(e.cost) AS cost, e.tokens, e.exceeded, e.occurred_at,
CASE WHEN b.period = 2 THEN ((e.period || '-01')::timestamp + interval '1 month')
     AT TIME ZONE (SELECT n.time_zone FROM namespaces n WHERE n.id = %(namespace_id)s) END AS resets_at

-- lock_budgets --
-- Block recording of costs in the namespace until the end of the transaction, because a new budget would miss them.
SELECT hold_lock(%(namespace_id)s, 'budgets');

-- count_conversations --
-- Count how many of these conversations exist.
SELECT count(*) FROM conversations WHERE namespace_id = %(namespace_id)s AND id = ANY(%(ids)s::uuid[]);

-- list_recorded --
-- Return the costs of a report's calls, in the order in which they were reported.
SELECT model, trim_scale(cost) AS cost, currency
  FROM usage_ledger
 WHERE namespace_id = %(namespace_id)s AND batch_id = %(batch_id)s
 ORDER BY id;

-- find_budget --
-- Return the budget with a period and scope.
SELECT :budget
  FROM budgets b
 WHERE b.namespace_id = %(namespace_id)s AND b.period = %(period)s AND b.scope = %(scope)s AND b.scope_value = %(scope_value)s;

-- count_budgets --
-- Count the budgets of a namespace.
SELECT count(*) FROM budgets WHERE namespace_id = %(namespace_id)s;

-- upsert_budget --
-- Set the limits of a budget; insert it if it does not exist.
INSERT INTO budgets (namespace_id, id, period, scope, scope_value, max_cost, currency, max_tokens, warn_percent)
VALUES (%(namespace_id)s, %(id)s, %(period)s, %(scope)s, %(scope_value)s, %(max_cost)s, %(currency)s, %(max_tokens)s,
        %(warn_percent)s)
ON CONFLICT (namespace_id, period, scope, scope_value) DO UPDATE
   SET max_cost = excluded.max_cost, currency = excluded.currency, max_tokens = excluded.max_tokens,
       warn_percent = excluded.warn_percent, updated_at = excluded.updated_at
RETURNING id;

-- clear_spending --
-- Delete the charges of a budget, and return their periods.
DELETE FROM budget_spending WHERE namespace_id = %(namespace_id)s AND budget_id = %(budget_id)s RETURNING period;

-- count_past --
-- Charge a budget with the usage recorded since a time, and with all usage in these periods.
INSERT INTO budget_spending (namespace_id, budget_id, period, cost, tokens, calls, unpriced_calls)
SELECT b.namespace_id, b.id, CASE WHEN b.period = 1 THEN u.run_id ELSE month_of(u.called_at, %(time_zone)s) END,
       coalesce(sum(u.cost) FILTER (WHERE u.currency = b.currency), 0), sum(u.input_tokens + u.output_tokens)::bigint, count(*),
       count(*) FILTER (WHERE u.cost IS NULL OR b.currency <> '' AND u.currency <> b.currency)
  FROM budgets b
  JOIN usage_ledger u ON u.namespace_id = %(namespace_id)s
   AND (u.called_at >= %(since)s
        OR %(periods)s::text[] <> '{}' AND CASE WHEN b.period = 1 THEN u.run_id ELSE month_of(u.called_at, %(time_zone)s) END = ANY(%(periods)s::text[]))
   AND (b.period = 2 OR u.run_id <> '')
   AND (b.scope = 1 OR b.scope = 2 AND b.scope_value = u.agent OR b.scope = 3 AND b.scope_value = u.model)
 WHERE b.namespace_id = %(namespace_id)s AND b.id = %(budget_id)s
 GROUP BY 1, 2, 3;

-- end_embedding_pauses --
-- Resume embedding that was paused because a budget was spent.
DELETE FROM embedding_pauses WHERE namespace_id = %(namespace_id)s RETURNING generation_id;

-- find_reached --
-- Return the thresholds of a budget that are reached under its new limits, but were not under the old ones. Monthly
-- budgets are checked for this month, budgets of runs for runs charged in the last day.
SELECT jsonb_agg(jsonb_build_object('budget_id', b.id, 'period', s.period, 'exceeded', t.exceeded, 'cost', s.cost,
                                    'tokens', s.tokens)
                 ORDER BY s.period, t.exceeded)::text AS reached
  FROM budgets b
  JOIN budget_spending s ON s.namespace_id = %(namespace_id)s AND s.budget_id = b.id
   AND CASE WHEN b.period = 1 THEN s.updated_at > now() - interval '1 day' ELSE s.period = %(month)s END
 CROSS JOIN LATERAL (VALUES (false, b.warn_percent::integer, %(old_warn_percent)s::integer), (true, 100, 100))
       AS t (exceeded, percent, old_percent)
 WHERE b.namespace_id = %(namespace_id)s AND b.id = %(budget_id)s
   AND budget_is_reached(s.cost, s.tokens, b.max_cost, b.max_tokens, t.percent)
   AND NOT budget_is_reached(s.cost, s.tokens, %(old_max_cost)s::numeric, %(old_max_tokens)s::bigint, t.old_percent)
HAVING count(*) > 0;

-- add_events --
-- Record reached thresholds, in the transaction's namespace.
SELECT add_budget_events(%(reached)s::jsonb, %(batch_id)s::uuid);

-- delete_budget --
-- Delete a budget with its charges and events, and return its id; no row if it does not exist.
DELETE FROM budgets WHERE namespace_id = %(namespace_id)s AND id = %(budget_id)s RETURNING id;

-- list_budget_usage --
-- Return budgets with their charges in a month or run: one budget, a page of all, or the budgets of a call's agent and
-- model.
SELECT :budget, coalesce(trim_scale(s.cost), 0) AS cost, coalesce(s.tokens, 0) AS tokens, coalesce(s.calls, 0) AS calls,
       coalesce(s.unpriced_calls, 0) AS unpriced_calls,
       budget_is_reached(coalesce(s.cost, 0), coalesce(s.tokens, 0), b.max_cost, b.max_tokens, b.warn_percent) AS warned,
       budget_is_reached(coalesce(s.cost, 0), coalesce(s.tokens, 0), b.max_cost, b.max_tokens, 100) AS exceeded
  FROM budgets b
  LEFT JOIN budget_spending s ON s.namespace_id = %(namespace_id)s AND s.budget_id = b.id
                             AND s.period = CASE WHEN b.period = 1 THEN %(run_id)s ELSE %(month)s END
 WHERE b.namespace_id = %(namespace_id)s
   AND (%(budget_id)s::uuid IS NULL OR b.id = %(budget_id)s)
   AND (%(agent)s::text IS NULL
        OR (b.period = 2 OR %(run_id)s <> '')
       AND (b.scope = 1 OR b.scope = 2 AND b.scope_value = %(agent)s OR b.scope = 3 AND b.scope_value = %(model)s))
   AND (%(after)s::text[] IS NULL
        OR (-b.period, b.scope, b.scope_value)
         > (-(%(after)s::text[])[1]::integer, (%(after)s::text[])[2]::integer, (%(after)s::text[])[3]))
 ORDER BY b.period DESC, b.scope, b.scope_value
 LIMIT %(limit)s;

-- list_events --
-- Return the budget events caused by a report or by a change of limits.
SELECT :event
  FROM budget_events e
  JOIN budgets b ON b.namespace_id = %(namespace_id)s AND b.id = e.budget_id
 WHERE e.namespace_id = %(namespace_id)s AND e.batch_id = %(batch_id)s
 ORDER BY e.id
 LIMIT %(limit)s;

-- sum_costs --
-- Return sums of calls by group, ordered by the grouping columns, after the group `after`. A column that is not grouped
-- by is empty.
WITH picked AS (
    SELECT CASE WHEN 'day' = ANY(%(group_by)s) THEN (called_at AT TIME ZONE %(time_zone)s)::date::text ELSE '' END AS day,
           CASE WHEN 'model' = ANY(%(group_by)s) THEN model ELSE '' END AS model,
           CASE WHEN 'provider' = ANY(%(group_by)s) THEN provider ELSE '' END AS provider,
           CASE WHEN 'agent' = ANY(%(group_by)s) THEN agent ELSE '' END AS agent,
           CASE WHEN 'conversation' = ANY(%(group_by)s) THEN coalesce(conversation_id::text, '') ELSE '' END AS conversation_id,
           CASE WHEN 'conversation' = ANY(%(group_by)s) THEN session_key ELSE '' END AS session_key,
           CASE WHEN 'run' = ANY(%(group_by)s) THEN run_id ELSE '' END AS run_id,
           CASE WHEN 'purpose' = ANY(%(group_by)s) THEN task ELSE '' END AS purpose,
           CASE WHEN 'source' = ANY(%(group_by)s) THEN 1 + own::integer ELSE 0 END AS source,
           CASE WHEN cost IS NULL THEN '' ELSE currency END AS currency, cost, input_tokens, output_tokens, cached_tokens
      FROM usage_ledger
     WHERE namespace_id = %(namespace_id)s AND called_at >= %(start)s AND called_at < %(end)s
       AND (%(models)s::text[] IS NULL OR model = ANY(%(models)s))
       AND (%(providers)s::text[] IS NULL OR provider = ANY(%(providers)s))
       AND (%(agents)s::text[] IS NULL OR agent = ANY(%(agents)s))
       AND (%(conversation_ids)s::uuid[] IS NULL OR conversation_id = ANY(%(conversation_ids)s))
       AND (%(run_ids)s::text[] IS NULL OR run_id = ANY(%(run_ids)s))
       AND (%(own)s::boolean IS NULL OR own = %(own)s)
), sums AS (
    SELECT day, model, provider, agent, conversation_id, session_key, run_id, purpose, source, currency, sum(cost) AS cost,
           count(*) AS calls, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
           sum(cached_tokens) AS cached_tokens
      FROM picked
     GROUP BY day, model, provider, agent, conversation_id, session_key, run_id, purpose, source, currency
)
SELECT day, model, provider, agent, conversation_id, session_key, run_id, purpose, source, sum(calls)::bigint AS calls,
       sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
       sum(cached_tokens)::bigint AS cached_tokens,
       coalesce(jsonb_object_agg(currency, trim_scale(cost)::text) FILTER (WHERE currency <> ''), '{}') AS costs,
       coalesce(sum(calls) FILTER (WHERE currency = ''), 0)::bigint AS unpriced_calls
  FROM sums
 GROUP BY day, model, provider, agent, conversation_id, session_key, run_id, purpose, source
HAVING %(after)s::text[] IS NULL
    OR (day, model, provider, agent, conversation_id, session_key, run_id, purpose, source)
     > ((%(after)s::text[])[1], (%(after)s::text[])[2], (%(after)s::text[])[3], (%(after)s::text[])[4], (%(after)s::text[])[5],
        (%(after)s::text[])[6], (%(after)s::text[])[7], (%(after)s::text[])[8], (%(after)s::text[])[9]::integer)
 ORDER BY day, model, provider, agent, conversation_id, session_key, run_id, purpose, source
 LIMIT %(limit)s;

-- lock_prices --
-- Block other loads of prices until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended('model_prices', 0));

-- delete_loaded_prices --
-- Delete prices loaded by an operator.
DELETE FROM model_prices WHERE NOT shipped;

-- insert_loaded_prices --
-- Store an operator's price list.
INSERT INTO model_prices (model, provider, shipped, valid_from, currency, input_price, cached_input_price, output_price)
SELECT model, provider, false, valid_from, %(currency)s, input, cached_input, output
  FROM unnest(%(models)s::text[], %(providers)s::text[], %(days)s::date[], %(inputs)s::numeric[], %(cached_inputs)s::numeric[],
              %(outputs)s::numeric[]) AS given (model, provider, valid_from, input, cached_input, output);

-- list_prices --
-- Return a page of all prices, an operator's own prices first.
SELECT model, provider, valid_from, trim_scale(input_price) AS input, trim_scale(cached_input_price) AS cached_input,
       trim_scale(output_price) AS output, currency, shipped
  FROM model_prices
 WHERE %(after)s::text[] IS NULL
    OR (shipped, model, provider, valid_from)
     > ((%(after)s::text[])[1]::boolean, (%(after)s::text[])[2], (%(after)s::text[])[3], (%(after)s::text[])[4]::date)
 ORDER BY shipped, model, provider, valid_from
 LIMIT %(limit)s;
