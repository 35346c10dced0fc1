-- Registers a node, and counts the nodes that have registered recently.
--
-- KEYS[1]  a sorted set: node by the time at which it registered last
-- ARGV[1]  the node
-- ARGV[2]  how long a node counts, in milliseconds
--
-- Returns the number of nodes.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
