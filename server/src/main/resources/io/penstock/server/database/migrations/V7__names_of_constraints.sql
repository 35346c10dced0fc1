-- The error message of a check constraint consists of its name, so the names state the valid values.

ALTER TABLE rate_limit_rule
    RENAME CONSTRAINT on_store_failure_is_known TO on_store_failure_is_local_open_or_closed;
ALTER TABLE rate_limit_rule RENAME CONSTRAINT mode_is_known TO mode_is_enforce_shadow_or_off;
