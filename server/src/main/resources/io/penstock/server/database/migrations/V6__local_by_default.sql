-- By default, each node limits requests by itself while the store is unavailable. Existing rows keep
-- their value.

ALTER TABLE rate_limit_rule ALTER COLUMN on_store_failure SET DEFAULT 'local';

COMMENT ON COLUMN rate_limit_rule.on_store_failure IS 'Decision while the store is unavailable: local (by a bucket on this node), open (allow) or closed (deny)';
