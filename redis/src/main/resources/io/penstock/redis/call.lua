-- Decides requests in their order. Each takes from all of its buckets, or from none.
--
-- KEYS     the buckets, each once
-- ARGV[1]  whole numbers in MessagePack:
--   how many limits, then for each
--     a token bucket   0, units a tick, units a thousandth, burst in thousandths, reach in ticks,
--                      how many limits it has replaced, and for each of these:
--                      units a tick, units a thousandth, burst in thousandths
--     a window         1 fixed or 2 counter or 3 log, length in ticks, limit in thousandths
--   how many requests, then for each
--     what to do       0 take, 1 preview, 2 charge, 3 refund, 4 reset, 5 lease, 6 give back
--     how often        the same request of several callers
--     how many claims, then for each: its key, its limit, its cost in thousandths and the longest
--                      delay in ticks that it accepts; -1 if it can never pass
--     for a lease, of one token bucket: who holds it, the number of the call, and in thousandths
--                      what the holder keeps, gives back and wants, and of what it wants a multiple;
--                      then for how many ticks from before it asked
--     to give back, to one token bucket: when the cost was charged, and the debt right after that,
--                      in ticks and units beyond them
--
-- Returns numbers: how many foreign values were repaired, then for each request
--   how many of its callers it is granted to, the first ones; then for each claim
--     a token bucket   the debt before: whole ticks, and units beyond them
--     a window         what was used before, ticks to wait for those denied, ticks to the reset of
--                      those granted, ticks to the reset if none is
--   for a lease instead: thousandths granted, the debt after as for a token bucket, thousandths kept,
--                      thousandths that all holders together have
--   and last the time
--
-- Numbers stay below 2^53, so doubles are exact. A tick is a microsecond. A debt may be more units
-- than a double can count, so it is always two numbers: ticks, and a rest of less than a tick.
--
-- A value holds the time at which it was written, and everything else in it is relative to that
-- time. If the clock has stepped back since, no time has passed: levels, leases and counts are what
-- they were when they were written. The next request that is no preview writes the value with the
-- time of the new clock, even if it is denied, so that nobody waits for the old time to come back.
--
-- The script is all files here, joined in the order that Script gives: each may use what those before
-- it define.

local TAKE, PREVIEW, CHARGE, REFUND, RESET, LEASE, GIVE_BACK = 0, 1, 2, 3, 4, 5, 6
local BUCKET, FIXED, COUNTER = 0, 1, 2

-- A bucket is kept once for each limit that it was recently asked under, up to this many.
local MAX_FORMS = 16

-- The mark of a token bucket's value, and of one with leases, which usual.lua does not handle.
local MARK, LEASED = 'T', 'H'

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local ceil, floor, fmod, max, min = math.ceil, math.floor, math.fmod, math.max, math.min

local numbers = cmsgpack.unpack(ARGV[1])
local function isWhole(number, least)
  return type(number) == 'number' and number >= least and number < 2^53 and number == floor(number)
end
