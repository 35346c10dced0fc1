-- Decides requests in order. Each request takes from all of its buckets, or from none.
--
-- KEYS     the buckets, without duplicates; none if they are in several slots of a cluster
-- ARGV[2]  and all further arguments: the buckets, if they are in several slots
-- ARGV[1]  integers in MessagePack, up to 15 as one value after another, more as an array:
--   the number of limits, then for each
--     token bucket     0, units per tick, units per thousandth, burst in thousandths, reach in ticks,
--                      the number of limits that it has replaced, and for each of these:
--                      units per tick, units per thousandth, burst in thousandths
--     window           1 fixed, 2 counter or 3 log; length in ticks; limit in thousandths
--   the number of requests, then for each
--     operation        0 take, 1 peek, 2 charge, 3 refund, 4 reset, 5 lease, 6 give back, 7 raise debt
--     count            the number of callers with this request
--     the number of claims, then for each: key, limit, cost in thousandths, and the maximum delay in
--                      ticks that it accepts; -1 if it can never be allowed
--     only for a lease, on one token bucket: the holder, the number of the call, and in thousandths
--                      what the holder keeps, returns and requests, and the granularity of the
--                      request; then the length in ticks, counted from before the call was sent
--     only to give back, to one token bucket: the time of the charge, and the debt after it, in ticks
--                      and a rest in units
--     only to raise debt, on one token bucket: the time at which the cost was missing; 0 if unknown;
--                      on one window: the number of slices of time in which a node has granted
--                      something, oldest first, and for each: its start and the sum in thousandths
--
-- Returns integers: the number of foreign values that were replaced, then for each request
--   the number of callers, in order, that it is granted to; then for each claim
--     token bucket     the debt before: whole ticks, and a rest in units
--     window           the count before, ticks to wait if denied, ticks to the reset if granted,
--                      ticks to the reset if no caller is granted the request
--   for a lease instead: thousandths granted, the debt afterwards as for a token bucket, thousandths
--                      kept, thousandths that all holders together have
--   and finally the time
-- or, if buckets in several slots can't be decided in one call, without having changed anything:
--   -1 and the numbers of the keys that this server doesn't have, or -2 if it rejects calls for
--   several slots
--
-- All numbers are integers below 2^53, so doubles are exact. A tick is a microsecond. A debt may have
-- more units than that, so it always consists of two numbers: ticks, and a rest of less than a tick.
--
-- A value contains the time at which it was written, and everything else in it is relative to that
-- time. If the clock has stepped back since, no time has passed: levels, leases and counts are those
-- of the last write. The next request that is not a peek rewrites the value with the time of the
-- new clock, even if it is denied, so that no key waits for the old time to return.
--
-- The script consists of the files in this directory that Script lists, concatenated in that order.
-- Each file may use definitions of those before it.

local TAKE, PEEK, CHARGE, REFUND, RESET, LEASE, GIVE_BACK, RAISE_DEBT = 0, 1, 2, 3, 4, 5, 6, 7
local BUCKET, FIXED, COUNTER = 0, 1, 2

-- A bucket has a state for each limit that it was recently used under, up to this many.
local MAX_STATES = 16

-- The type marks of token bucket values, without and with leases; fast-path.lua only handles the
-- first.
local MARK, LEASED = 'B', 'L'

local names = KEYS

-- The values of buckets in several slots; otherwise nil. A cluster doesn't redirect a call for keys in
-- ARGV. Instead, it rejects each command for a key that it doesn't have, or that would be created
-- although its slot is being migrated. All keys are read before anything is written, so such a call
-- fails as a whole.
local values

if ARGV[2] then
  names, values = {}, {}
  local missing, rejected = { -1 }, false
  for i = 2, #ARGV do
    local value = redis.pcall('GET', ARGV[i])
    if type(value) == 'table' then
      local reason = value.err
      if string.find(reason, 'non local key', 1, true)
        or string.find(reason, 'cluster is down', 1, true)
        or string.find(reason, 'slot not served', 1, true) then
        missing[#missing + 1] = i - 1
      elseif string.sub(reason, 1, 9) ~= 'WRONGTYPE' then
        rejected = true
      end
      value = ''
    end
    names[i - 1], values[i - 1] = ARGV[i], value
  end
  if missing[2] then
    return missing
  elseif rejected then
    return { -2 }
  end
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local ceil, floor, fmod, max, min = math.ceil, math.floor, math.fmod, math.max, math.min

-- Keys expire only at multiples of this number of ticks, at least one step after their bucket is full,
-- because Redis may count a time to live from the start of the script. So most writes to a busy key
-- leave its time to live as it is, which halves the cost of a write.
local EXPIRY_STEP = 2^18
