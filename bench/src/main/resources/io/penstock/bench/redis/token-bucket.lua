-- A token bucket as a hash: what is left of it, and when that was.
--
-- KEYS[1]  the bucket
-- ARGV     the caller's time in milliseconds, tokens a second, burst, cost, time to live in
--          milliseconds
--
-- Returns 1 if allowed, otherwise 0, and milliseconds to wait.

local bucket = KEYS[1]
local time, perSecond, burst, cost, ttl =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local left = tonumber(redis.call('HGET', bucket, 'tokens') or burst)
local since = tonumber(redis.call('HGET', bucket, 'ts') or time)

-- Callers' clocks differ: time that has been counted is not counted again.
if time > since then
  left = math.min(burst, left + (time - since) * perSecond / 1000)
  since = time
end

local answer
if left < cost then
  answer = { 0, math.ceil((cost - left) * 1000 / perSecond) }
else
  left = left - cost
  answer = { 1, 0 }
end

redis.call('HSET', bucket, 'tokens', left)
redis.call('HSET', bucket, 'ts', since)
redis.call('PEXPIRE', bucket, ttl)
return answer
