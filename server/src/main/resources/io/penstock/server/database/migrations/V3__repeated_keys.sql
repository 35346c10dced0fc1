-- on_repeated_key is an option of a rule.

ALTER TABLE rate_limit_rule
    DROP CONSTRAINT options_are_known,
    ADD CONSTRAINT options_are_known CHECK (
        jsonb_typeof(options) = 'object'
        AND options - ARRAY['algorithm', 'limit', 'window', 'limits', 'algorithm_config',
                            'unlimited', 'min_cost', 'on_missing_key', 'on_repeated_key', 'on_limit',
                            'max_delay_ms', 'consistency', 'enforce_percent',
                            'refund_on_upstream_error', 'manual'] = '{}');
