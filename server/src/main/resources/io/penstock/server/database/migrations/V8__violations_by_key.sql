-- For the denials of one key. Keys are ASCII and at most 512 characters long.

CREATE INDEX rate_limit_violation_key ON rate_limit_violation (bucket_key, requested_at DESC, violation_id DESC);
