-- Clearer names for constraints, triggers and functions, and clearer comments. Migrations that have
-- been applied must not be edited, because Flyway verifies their checksums.

ALTER TABLE rate_limit_rule RENAME CONSTRAINT name_is_of_its_own TO name_is_unique;
ALTER TABLE rate_limit_rule RENAME CONSTRAINT scope_goes_with_key_pattern TO scope_matches_key_pattern;
ALTER TABLE rate_limit_rule RENAME CONSTRAINT plan_is_said_once TO plan_is_stated_once;
ALTER TABLE rate_limit_rule RENAME CONSTRAINT path_is_said_once TO path_is_stated_once;
ALTER TABLE rate_limit_rule RENAME CONSTRAINT limit_is_said_once TO exactly_one_limit_is_stated;
ALTER INDEX rate_limit_rule_said_once RENAME TO rate_limit_rule_is_not_a_duplicate;

ALTER TRIGGER rate_limit_rule_note_change ON rate_limit_rule RENAME TO rate_limit_rule_record_change;
ALTER FUNCTION rate_limit_rule_note_change() RENAME TO rate_limit_rule_record_change;
ALTER TRIGGER rate_limit_rule_tell ON rate_limit_rule RENAME TO rate_limit_rule_notify;
ALTER FUNCTION rate_limit_rule_tell() RENAME TO rate_limit_rule_notify;

COMMENT ON TABLE rate_limit_rule IS 'Rate-limit rules, one per row; changes take effect when they are committed';
COMMENT ON COLUMN rate_limit_rule.key_pattern IS 'What each bucket belongs to: user:{user_id}, ip:{ip}, endpoint:/path, global, or any attributes in braces';
COMMENT ON COLUMN rate_limit_rule.scope IS 'What is limited, in one word: user, ip, endpoint, global or another; responses include it';
COMMENT ON COLUMN rate_limit_rule.rate_per_second IS 'Tokens added to a bucket per second; alternatively, use rate';
COMMENT ON COLUMN rate_limit_rule.burst_capacity IS 'Capacity of a bucket in tokens; by default, the tokens of one period of the rate';
COMMENT ON COLUMN rate_limit_rule.plan IS 'Applies only to requests with this plan; null applies to requests whose plan has no row of its own';
COMMENT ON COLUMN rate_limit_rule.is_active IS 'Inactive rows are ignored';
COMMENT ON COLUMN rate_limit_rule.name IS 'Name of the rule in responses and metrics; by default, key_pattern and plan';
COMMENT ON COLUMN rate_limit_rule.tier_order IS 'Of the rules for the same keys and places, the first one that matches applies: lower values first, then rows with a plan';
COMMENT ON COLUMN rate_limit_rule.tier_group IS 'Groups rules explicitly: the first rule of the group that matches applies';
COMMENT ON COLUMN rate_limit_rule.match IS 'Applies only to matching requests: {"method": "POST", "path": "/login"}';
COMMENT ON COLUMN rate_limit_rule.rate IS 'Alternative to rate_per_second: 5/min, 100/10s, 1000/h';
COMMENT ON COLUMN rate_limit_rule.on_store_failure IS 'Decision while the store is unavailable: open (allow), closed (deny) or local (the share of this node)';
COMMENT ON COLUMN rate_limit_rule.cost_source IS 'Source of the cost of a request: header:name, query:name or an attribute; by default, each request costs 1';
COMMENT ON COLUMN rate_limit_rule.version IS 'Changes with each update of the row';

COMMENT ON TABLE rate_limit_rule_history IS 'All changes of rules, written in the transaction of the change';

COMMENT ON TABLE rate_limit_violation IS 'Denied requests; one row for all of a rule and key within one second';
COMMENT ON COLUMN rate_limit_violation.bucket_key IS 'Key of the bucket within its rule; values of headers, cookies and query parameters are hashed';
COMMENT ON COLUMN rate_limit_violation.user_id IS 'User of the first denied request of the row, if known';
COMMENT ON COLUMN rate_limit_violation.tokens_at_time IS 'Tokens left in the bucket';
COMMENT ON COLUMN rate_limit_violation.rule_id IS 'Row of rate_limit_rule at that time; null for rules from files. Not a foreign key: violations are kept when a rule is deleted';
COMMENT ON COLUMN rate_limit_violation.denied IS 'Number of denied requests';
