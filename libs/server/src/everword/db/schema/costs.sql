-- Costs of models: one ledger for the services' own calls and calls reported by agents, prices, and budgets.

CREATE TABLE usage_ledger (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id bigint GENERATED ALWAYS AS IDENTITY,
    task text NOT NULL,
    model text NOT NULL,
    endpoint text NOT NULL DEFAULT '',
    input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    outcome text NOT NULL,
    seconds double precision NOT NULL,
    called_at timestamptz NOT NULL DEFAULT now(),
    own boolean NOT NULL DEFAULT true,
    provider text NOT NULL DEFAULT '',
    cached_tokens bigint NOT NULL DEFAULT 0,
    cost numeric CHECK (cost >= 0),
    currency text NOT NULL DEFAULT '',
    agent text NOT NULL DEFAULT '',
    session_key text NOT NULL DEFAULT '',
    conversation_id uuid,
    run_id text NOT NULL DEFAULT '',
    batch_id uuid,
    PRIMARY KEY (namespace_id, id)
);
COMMENT ON TABLE usage_ledger IS 'Calls of language models by the services and by agents, with their cost.';
COMMENT ON COLUMN usage_ledger.task IS 'The purpose of the call.';
COMMENT ON COLUMN usage_ledger.own IS 'Whether a service of Everword made the call; otherwise an agent reported it.';
COMMENT ON COLUMN usage_ledger.cached_tokens IS 'Part of input_tokens that the provider had cached.';
COMMENT ON COLUMN usage_ledger.cost IS 'In `currency`, exact. NULL if the model has no price.';
COMMENT ON COLUMN usage_ledger.batch_id IS 'The RecordUsage call that reported it.';
CREATE INDEX usage_ledger_called_at ON usage_ledger (namespace_id, called_at);
CREATE INDEX usage_ledger_batch_id ON usage_ledger (namespace_id, batch_id, id) WHERE batch_id IS NOT NULL;
SELECT isolate_table('usage_ledger');
-- Calls with a key for one agent or subject are charged, and read no calls.
CREATE POLICY scope ON usage_ledger FOR INSERT TO everword_scoped
    WITH CHECK (namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint);
GRANT SELECT ON usage_ledger TO everword_ingest, everword_compactor;
GRANT INSERT ON usage_ledger TO everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT USAGE ON SEQUENCE usage_ledger_id_seq TO everword_ingest, everword_search, everword_compactor, everword_embedder;
INSERT INTO erasure_rules VALUES
    ('kept', 9, 'usage_ledger', '', NULL, 'Models, tokens and costs; forget_sessions removes whose they were.');
INSERT INTO transfer_rules VALUES ('usage_ledger', 92, 'usage', '{id}', 'Cost of a call of a model.', '{id}');

CREATE TABLE model_prices (
    model text NOT NULL,
    provider text NOT NULL DEFAULT '',
    shipped boolean NOT NULL,
    valid_from date NOT NULL,
    currency text NOT NULL CHECK (currency <> ''),
    input_price numeric NOT NULL CHECK (input_price >= 0),
    cached_input_price numeric CHECK (cached_input_price >= 0),
    output_price numeric NOT NULL CHECK (output_price >= 0),
    PRIMARY KEY (model, provider, shipped, valid_from)
);
COMMENT ON TABLE model_prices IS 'Prices per million tokens from a day (UTC) on, for the deployment. Loaded prices precede shipped ones.';
COMMENT ON COLUMN model_prices.provider IS 'Empty for every provider of the model.';
COMMENT ON COLUMN model_prices.cached_input_price IS 'NULL if cached tokens cost the same as other input tokens.';
GRANT SELECT, INSERT, UPDATE, DELETE ON model_prices TO everword_ingest;
GRANT SELECT ON model_prices TO everword_embedder;

CREATE TABLE budgets (
    namespace_id bigint NOT NULL REFERENCES namespaces (id),
    id uuid NOT NULL,
    period smallint NOT NULL CHECK (period IN (
        1, -- each run
        2  -- each calendar month, in the time zone of the namespace
    )),
    scope smallint NOT NULL CHECK (scope IN (
        1, -- everything
        2, -- an agent
        3  -- a model
    )),
    scope_value text NOT NULL DEFAULT '',
    max_cost numeric CHECK (max_cost > 0),
    currency text NOT NULL DEFAULT '',
    max_tokens bigint CHECK (max_tokens > 0),
    warn_percent smallint NOT NULL CHECK (warn_percent BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    CHECK (max_cost IS NOT NULL OR max_tokens IS NOT NULL),
    CHECK ((max_cost IS NULL) = (currency = ''))
);
COMMENT ON TABLE budgets IS 'Limits on the cost of models. Calls in another currency count by their tokens only.';
CREATE UNIQUE INDEX budgets_scope ON budgets (namespace_id, period, scope, scope_value);
SELECT isolate_table('budgets', NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON budgets TO everword_ingest;
GRANT SELECT ON budgets TO everword_search, everword_compactor, everword_embedder;
INSERT INTO erasure_rules VALUES ('kept', 16, 'budgets', '', NULL, 'Limits, and names of agents and models.');
INSERT INTO transfer_rules VALUES ('budgets', 13, 'budget', '{id}');

CREATE TABLE budget_spending (
    namespace_id bigint NOT NULL,
    budget_id uuid NOT NULL,
    period text NOT NULL,
    cost numeric NOT NULL,
    tokens bigint NOT NULL,
    calls bigint NOT NULL,
    unpriced_calls bigint NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, budget_id, period),
    FOREIGN KEY (namespace_id, budget_id) REFERENCES budgets (namespace_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
COMMENT ON TABLE budget_spending IS 'Charges to a budget in a period. Each record of usage adds to the row in its own transaction.';
COMMENT ON COLUMN budget_spending.period IS 'The id of a run, or a month such as 2026-03.';
COMMENT ON COLUMN budget_spending.unpriced_calls IS 'Calls not in `cost`: without a known price, or in another currency.';
CREATE INDEX budget_spending_started_at ON budget_spending (namespace_id, started_at);
SELECT isolate_table('budget_spending', NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON budget_spending TO everword_ingest;
GRANT SELECT, INSERT, UPDATE ON budget_spending TO everword_search, everword_compactor, everword_embedder;
INSERT INTO erasure_rules VALUES ('kept', 17, 'budget_spending', '', NULL, 'Sums, by month or by the id of a run.');
INSERT INTO transfer_rules VALUES
    ('budget_spending', 14, 'budget_spending', '{budget_id,period}', 'Amount spent from a budget in a period.');

CREATE TABLE budget_events (
    namespace_id bigint NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    budget_id uuid NOT NULL,
    period text NOT NULL,
    exceeded boolean NOT NULL,
    cost numeric NOT NULL,
    tokens bigint NOT NULL,
    max_cost numeric,
    currency text NOT NULL,
    max_tokens bigint,
    warn_percent smallint NOT NULL,
    batch_id uuid,
    occurred_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace_id, id),
    FOREIGN KEY (namespace_id, budget_id) REFERENCES budgets (namespace_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE budget_events IS 'Warnings and limits that budgets reached. A lock makes ids commit in order, so readers miss none.';
COMMENT ON COLUMN budget_events.exceeded IS 'Whether the limit was reached; otherwise the warning.';
COMMENT ON COLUMN budget_events.max_cost IS 'The limits at that time.';
CREATE INDEX budget_events_budget_id ON budget_events (namespace_id, budget_id);
CREATE INDEX budget_events_batch_id ON budget_events (namespace_id, batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX budget_events_occurred_at ON budget_events (namespace_id, occurred_at);
SELECT isolate_table('budget_events');
CREATE POLICY scope ON budget_events FOR INSERT TO everword_scoped
    WITH CHECK (namespace_id = nullif(current_setting('everword.namespace_id', true), '')::bigint);
GRANT SELECT ON budget_events TO everword_ingest;
GRANT INSERT ON budget_events TO everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT USAGE ON SEQUENCE budget_events_id_seq TO everword_ingest, everword_search, everword_compactor, everword_embedder;
INSERT INTO erasure_rules VALUES ('kept', 18, 'budget_events', '', NULL, 'Sums and times.');
INSERT INTO transfer_rules VALUES ('budget_events', 15, 'budget_event', '{id}', 'Warning or limit reached of a budget.', '{id}');

CREATE FUNCTION budget_is_reached(cost numeric, tokens bigint, max_cost numeric, max_tokens bigint, percent integer)
RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(cost * 100 >= max_cost * percent, false) OR coalesce(tokens * 100::numeric >= max_tokens * percent::numeric, false)
$$;
COMMENT ON FUNCTION budget_is_reached IS 'Return whether this percentage of one of the limits is used.';

CREATE FUNCTION month_of(moment timestamptz, time_zone text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT to_char(moment AT TIME ZONE time_zone, 'YYYY-MM')
$$;
COMMENT ON FUNCTION month_of IS 'Return the calendar month of a moment in a time zone, such as 2026-03.';

CREATE FUNCTION price_usage(
    of_model text, of_provider text, called_at timestamptz, input_tokens bigint, cached_tokens bigint, output_tokens bigint)
RETURNS TABLE(cost numeric, currency text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    -- A product of decimals is exact; a quotient is not.
    SELECT trim_scale(((price_usage.input_tokens - price_usage.cached_tokens) * p.input_price
                       + price_usage.cached_tokens * coalesce(p.cached_input_price, p.input_price)
                       + price_usage.output_tokens * p.output_price) * 0.000001), p.currency
      FROM model_prices p
     WHERE p.model = of_model AND p.provider IN ('', of_provider)
       AND p.valid_from <= (price_usage.called_at AT TIME ZONE 'UTC')::date
     ORDER BY p.shipped, p.provider = '', p.valid_from DESC LIMIT 1
$$;
COMMENT ON FUNCTION price_usage IS 'Return the cost of a call at the prices of its day; no row if the model has no price.';

CREATE FUNCTION price_records(records jsonb) RETURNS jsonb
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    named constant uuid[] := ARRAY(SELECT (r.value ->> 'conversation_id')::uuid FROM jsonb_array_elements(records) AS r
                                    WHERE r.value ->> 'conversation_id' IS NOT NULL);
    known jsonb := '{}';
BEGIN
    IF named <> '{}' THEN
        SELECT coalesce(jsonb_object_agg(c.id, jsonb_build_object('agent', c.agent, 'session_key', c.session_key)), '{}')
          INTO known
          FROM conversations c
         WHERE c.namespace_id = namespace AND c.id = ANY(named);
    END IF;
    -- Prices are on every node, but a function that reads them does not run on one: no table of the namespace is joined.
    RETURN (
        SELECT jsonb_agg(to_jsonb(g) || jsonb_build_object(
                   'id', nextval('usage_ledger_id_seq'), 'cost', coalesce(g.cost, p.cost), 'currency',
                   CASE WHEN g.cost IS NULL THEN coalesce(p.currency, '') ELSE g.currency END))
          FROM (SELECT r.own, r.task, r.model, r.provider, r.endpoint, r.input_tokens, r.cached_tokens, r.output_tokens,
                       r.outcome, r.seconds, r.cost, r.currency, coalesce(r.called_at, now()) AS called_at, r.run_id,
                       r.conversation_id,
                       coalesce(nullif(r.agent, ''), known #>> ARRAY[r.conversation_id::text, 'agent'], '') AS agent,
                       coalesce(nullif(r.session_key, ''), known #>> ARRAY[r.conversation_id::text, 'session_key'], '')
                           AS session_key
                  FROM jsonb_to_recordset(records) AS r (
                       own boolean, task text, model text, provider text, endpoint text, input_tokens bigint, cached_tokens bigint,
                       output_tokens bigint, outcome text, seconds float8, cost numeric, currency text, called_at timestamptz,
                       run_id text, conversation_id uuid, agent text, session_key text)) AS g
          LEFT JOIN LATERAL price_usage(g.model, g.provider, g.called_at, g.input_tokens, g.cached_tokens, g.output_tokens) p
               ON g.cost IS NULL);
END $$;
COMMENT ON FUNCTION price_records IS
    'Return calls with an id, the price of their day, and the agent and session of their conversation, if they lack them.';

CREATE FUNCTION record_usage(records jsonb, batch uuid) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    zone constant text := (SELECT n.time_zone FROM namespaces n WHERE n.id = namespace);
    moment constant timestamptz := now();
    priced constant jsonb := price_records(records);
    charge record;
    total record;
    reached jsonb := '[]';
BEGIN
    -- Blocks changes of budgets, because a budget set concurrently would miss these records.
    PERFORM share_lock(namespace, 'budgets');
    INSERT INTO usage_ledger (namespace_id, id, own, task, model, provider, endpoint, input_tokens, cached_tokens, output_tokens,
                              outcome, seconds, cost, currency, called_at, run_id, conversation_id, agent, session_key, batch_id)
    OVERRIDING SYSTEM VALUE
    SELECT t.namespace_id, p.id, p.own, p.task, p.model, p.provider, p.endpoint, p.input_tokens, p.cached_tokens,
           p.output_tokens, p.outcome, p.seconds, p.cost, p.currency, p.called_at, p.run_id, p.conversation_id, p.agent,
           p.session_key, batch
      FROM tenants t CROSS JOIN jsonb_populate_recordset(NULL::usage_ledger, priced) AS p
     WHERE t.namespace_id = namespace;
    -- Every writer locks in this order, to avoid deadlocks.
    FOR charge IN
        SELECT b.id AS budget_id, CASE WHEN b.period = 1 THEN p.run_id ELSE month_of(p.called_at, zone) END AS period,
               coalesce(sum(p.cost) FILTER (WHERE p.currency = b.currency), 0) AS cost,
               sum(p.input_tokens + p.output_tokens)::bigint AS tokens, count(*) AS calls,
               count(*) FILTER (WHERE p.cost IS NULL OR b.currency <> '' AND p.currency <> b.currency) AS unpriced_calls,
               b.max_cost, b.max_tokens, b.warn_percent
          FROM budgets b
          JOIN jsonb_to_recordset(priced) AS p (
               model text, input_tokens bigint, output_tokens bigint, cost numeric, currency text, called_at timestamptz,
               run_id text, agent text)
               ON (b.period = 2 OR p.run_id <> '')
              AND (b.scope = 1 OR b.scope = 2 AND b.scope_value = p.agent OR b.scope = 3 AND b.scope_value = p.model)
         WHERE b.namespace_id = namespace
         GROUP BY 1, 2, b.max_cost, b.max_tokens, b.warn_percent ORDER BY 1, 2
    LOOP
        INSERT INTO budget_spending AS s (namespace_id, budget_id, period, cost, tokens, calls, unpriced_calls, started_at,
                                          updated_at)
        VALUES (namespace, charge.budget_id, charge.period, charge.cost, charge.tokens, charge.calls, charge.unpriced_calls,
                moment, moment)
            ON CONFLICT (namespace_id, budget_id, period) DO UPDATE
           SET cost = s.cost + excluded.cost, tokens = s.tokens + excluded.tokens, calls = s.calls + excluded.calls,
               unpriced_calls = s.unpriced_calls + excluded.unpriced_calls, updated_at = excluded.updated_at
        RETURNING s.cost, s.tokens INTO total;
        -- This record reached the threshold if the sum before it was below. The row is locked, so that only one writer
        -- sees this.
        reached := reached || coalesce((
            SELECT jsonb_agg(jsonb_build_object('budget_id', charge.budget_id, 'period', charge.period, 'exceeded', t.exceeded,
                                                'cost', total.cost, 'tokens', total.tokens) ORDER BY t.exceeded)
              FROM (VALUES (false, charge.warn_percent::integer), (true, 100)) AS t (exceeded, percent)
             WHERE budget_is_reached(total.cost, total.tokens, charge.max_cost, charge.max_tokens, t.percent)
               AND NOT budget_is_reached(total.cost - charge.cost, total.tokens - charge.tokens, charge.max_cost,
                                         charge.max_tokens, t.percent)), '[]');
    END LOOP;
    IF reached <> '[]' THEN
        PERFORM add_budget_events(reached, batch);
    END IF;
END $$;
COMMENT ON FUNCTION record_usage IS 'Add calls to the ledger with their prices, and charge the budgets. Nothing else writes the ledger.';

CREATE FUNCTION add_budget_events(reached jsonb, batch uuid) RETURNS void
LANGUAGE plpgsql SET search_path = everword, pg_temp AS $$
DECLARE
    namespace constant bigint := nullif(current_setting('everword.namespace_id', true), '')::bigint;
    numbered jsonb;
BEGIN
    PERFORM hold_lock(namespace, 'budget events');
    SELECT jsonb_agg(r.value || jsonb_build_object('id', nextval('budget_events_id_seq'))) INTO numbered
      FROM jsonb_array_elements(reached) AS r;
    INSERT INTO budget_events (namespace_id, id, budget_id, period, exceeded, cost, tokens, max_cost, currency, max_tokens,
                               warn_percent, batch_id)
    OVERRIDING SYSTEM VALUE
    SELECT b.namespace_id, r.id, b.id, r.period, r.exceeded, r.cost, r.tokens, b.max_cost, b.currency, b.max_tokens,
           b.warn_percent, batch
      FROM budgets b
      JOIN jsonb_to_recordset(numbered) AS r (
           id bigint, budget_id uuid, period text, exceeded boolean, cost numeric, tokens bigint) ON r.budget_id = b.id
     WHERE b.namespace_id = namespace;
END $$;
COMMENT ON FUNCTION add_budget_events IS 'Record that budgets of the current namespace reached a threshold.';

CREATE FUNCTION namespaces_with_old_usage(keep interval) RETURNS SETOF bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = everword, pg_temp AS $$
    SELECT t.namespace_id
      FROM tenants t
     WHERE EXISTS (SELECT 1 FROM usage_ledger u WHERE u.namespace_id = t.namespace_id AND u.called_at < now() - keep)
        OR EXISTS (SELECT 1 FROM budget_spending s WHERE s.namespace_id = t.namespace_id AND s.started_at < now() - keep)
        OR EXISTS (SELECT 1 FROM budget_events e WHERE e.namespace_id = t.namespace_id AND e.occurred_at < now() - keep)
$$;
COMMENT ON FUNCTION namespaces_with_old_usage IS 'Return the namespaces that have calls, budget charges or budget events older than `keep`.';

CREATE FUNCTION prune_usage(namespace bigint, keep interval, batch integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = everword, pg_temp AS $$
BEGIN
    DELETE FROM usage_ledger u
     WHERE u.namespace_id = namespace AND u.id IN (
           SELECT old.id FROM usage_ledger old
            WHERE old.namespace_id = namespace AND old.called_at < now() - keep
            ORDER BY old.called_at LIMIT batch FOR UPDATE SKIP LOCKED);
    DELETE FROM budget_spending s
     USING (SELECT old.budget_id, old.period FROM budget_spending old
             WHERE old.namespace_id = namespace AND old.started_at < now() - keep
             ORDER BY old.started_at LIMIT batch) AS old
     WHERE s.namespace_id = namespace AND s.budget_id = old.budget_id AND s.period = old.period;
    DELETE FROM budget_events e
     WHERE e.namespace_id = namespace AND e.id IN (
           SELECT old.id FROM budget_events old
            WHERE old.namespace_id = namespace AND old.occurred_at < now() - keep
            ORDER BY old.occurred_at LIMIT batch FOR UPDATE SKIP LOCKED);
END $$;
COMMENT ON FUNCTION prune_usage IS
    'Delete at most `batch` calls, budget charges and budget events each of a namespace that are older than `keep`.';

GRANT EXECUTE ON FUNCTION budget_is_reached, month_of, price_usage, price_records, record_usage, add_budget_events TO
    everword_ingest, everword_search, everword_compactor, everword_embedder;
GRANT EXECUTE ON FUNCTION namespaces_with_old_usage, prune_usage TO everword_compactor;
