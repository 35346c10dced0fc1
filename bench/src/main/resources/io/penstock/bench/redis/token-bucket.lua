-- A token bucket in a hash: the tokens and the time of the last update.
--
-- KEYS[1]  the bucket
-- ARGV     the caller's time in milliseconds, tokens per second, burst, cost, time to live in
--          milliseconds
--
-- Returns 1 if allowed, otherwise 0; and the wait in milliseconds.

local bucket = KEYS[1]
local time, perSecond, burst, cost, ttl =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local left = tonumber(redis.call('HGET', bucket, 'tokens') or burst)
local since = tonumber(redis.call('HGET', bucket, 'ts') or time)

-- Clocks of callers differ: elapsed time is never counted twice.
if time > since then
  left = math.min(burst, left + (time - since) * perSecond / 1000)
  since = time
end

local reply
if left < cost then
  reply = { 0, math.ceil((cost - left) * 1000 / perSecond) }
else
  left = left - cost
  reply = { 1, 0 }
end

redis.call('HSET', bucket, 'tokens', left)
redis.call('HSET', bucket, 'ts', since)
redis.call('PEXPIRE', bucket, ttl)
return reply
