-- Denied requests. Those of one rule and key within one second are one row.

CREATE TABLE rate_limit_violation (
    violation_id   bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bucket_key     text             NOT NULL,
    user_id        text,
    ip_address     inet,
    endpoint       varchar(255),
    requested_at   timestamptz      NOT NULL DEFAULT now(),
    tokens_at_time double precision NOT NULL,
    rule_id        bigint,

    rule_name      varchar(200)     NOT NULL,
    reason         varchar(64)      NOT NULL,
    denied         bigint           NOT NULL DEFAULT 1,

    CONSTRAINT denied_is_positive CHECK (denied > 0)
);

CREATE INDEX rate_limit_violation_user ON rate_limit_violation (user_id, requested_at DESC, violation_id DESC);
CREATE INDEX rate_limit_violation_ip ON rate_limit_violation (ip_address, requested_at DESC, violation_id DESC);
CREATE INDEX rate_limit_violation_rule ON rate_limit_violation (rule_name, requested_at DESC, violation_id DESC);
CREATE INDEX rate_limit_violation_time ON rate_limit_violation (requested_at DESC, violation_id DESC);

COMMENT ON TABLE rate_limit_violation IS 'Denied requests; those of one rule and key within a second are one row';
COMMENT ON COLUMN rate_limit_violation.bucket_key IS 'The bucket within its rule; header, cookie and query values are hashed';
COMMENT ON COLUMN rate_limit_violation.user_id IS 'Who asked, as far as known; of the first request of the row, as all but denied';
COMMENT ON COLUMN rate_limit_violation.tokens_at_time IS 'How much was left in the bucket';
COMMENT ON COLUMN rate_limit_violation.rule_id IS 'The row of rate_limit_rule it was then; null for rules of files. No foreign key: rules may go, what they did stays';
COMMENT ON COLUMN rate_limit_violation.denied IS 'How many requests were denied';

-- The last batch that each process has written: one of which it doesn't know whether it was
-- committed is not written twice.
CREATE TABLE rate_limit_violation_writer (
    writer_id  uuid        PRIMARY KEY,
    batch      bigint      NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now()
);
