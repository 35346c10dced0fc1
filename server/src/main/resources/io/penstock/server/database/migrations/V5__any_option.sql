-- The options of a rule are all of its fields that have no column. A new field needs no migration:
-- the service rejects rows with unknown options.

ALTER TABLE rate_limit_rule
    DROP CONSTRAINT options_are_known,
    ADD CONSTRAINT options_are_fields_without_a_column CHECK (
        jsonb_typeof(options) = 'object'
        AND NOT options ?| ARRAY['name', 'description', 'limit_keys', 'match', 'group', 'scope', 'rate',
                                 'burst', 'cost_source', 'fixed_cost', 'default_cost', 'mode',
                                 'on_store_failure']);
