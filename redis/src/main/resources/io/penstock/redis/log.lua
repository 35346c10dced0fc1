-- Logs: a list of the requests of the last window, oldest first, each its time and the sum of all
-- costs up to it. The first element is one that no longer counts: its sum is what the rest starts
-- from, and it has the longest window and the largest limit that the log was asked under, which say
-- how long and how many entries are kept. Written at once, so that the list is the state.

local log = {}

local MAX_WINDOW = 10 * 366 * 86400 * 1000000

-- Returns time and sum; of the first element also the longest window and the largest limit, if it
-- has them: earlier versions kept none.
local function entry(key, index)
  local value = redis.call('LINDEX', key, index)
  local fine, when, sum, length, most, more = pcall(cmsgpack.unpack, value)
  -- Logs count whole tokens, and text is told from them by that.
  if fine and isWhole(when, 0) and isWhole(sum, 0) and fmod(sum, 1000) == 0 and not more
    and (not length or index == 0 and isWhole(length, 1) and length <= MAX_WINDOW
      and isWhole(most, 1)) then
    return when, sum, length, most
  end
  -- Kept apart from errors of Redis, which are not to be taken for foreign values.
  error({ foreign = true })
end

-- The first index from first to last for which a test of time and sum holds, last if for none: both
-- only grow along the list.
local function firstIndex(key, first, last, test)
  local low, high = first, last
  while low < high do
    local middle = floor((low + high) / 2)
    if test(entry(key, middle)) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local function writeFirst(key, state)
  redis.call('LSET', key, 0, cmsgpack.pack(0, state.start, state.length, state.most))
end

-- The index of the first entry that counts in a window that ends now; after the last if none does.
local function firstWithin(key, last, length)
  if now - entry(key, 1) < length then
    return 1
  end
  local first = firstIndex(key, 1, last, function(when) return now - when < length end)
  return now - entry(key, first) < length and first or first + 1
end

-- What was counted after now, by a clock that stepped back, counts from now on.
local function stepBack(key, last)
  local when, sum = entry(key, last)
  if when <= now then
    return last
  end
  local first = firstIndex(key, 1, last, function(other) return other > now end)
  redis.call('LTRIM', key, 0, first - 1)
  redis.call('RPUSH', key, cmsgpack.pack(now, sum))
  return first
end

local function readLog(key, limit)
  local count = redis.pcall('LLEN', key)
  if type(count) == 'table' then
    error({ foreign = true })
  end
  local state = { used = 0, newest = 0, start = 0, sum = 0, last = 0,
    length = limit.length, most = limit.most }
  if count < 2 then
    if count == 1 then
      -- Left over from an older version, unless it is foreign.
      entry(key, 0)
    end
    return state
  end
  local _, start, length, most = entry(key, 0)
  state.start = start
  state.length, state.most = max(limit.length, length or 0), max(limit.most, most or 0)
  state.grown = state.length ~= length or state.most ~= most
  local last = stepBack(key, count - 1)
  local kept = firstWithin(key, last, state.length)
  if kept > last then
    -- What is over is over under any limit, even if the clock should step back.
    redis.call('DEL', key)
    state.start = 0
    return state
  end
  if kept > 1 then
    -- The last that has expired stays, for its sum.
    _, state.start = entry(key, kept - 1)
    redis.call('LTRIM', key, kept - 1, -1)
    writeFirst(key, state)
    last, state.grown = last - kept + 1, false
  end
  state.last = last
  state.lastTime, state.sum = entry(key, last)
  state.first = limit.length < state.length and firstWithin(key, last, limit.length) or 1
  state.base = state.start
  if state.first > 1 then
    _, state.base = entry(key, state.first - 1)
  end
  state.used = state.sum - state.base
  if state.used < 0 then
    error({ foreign = true })
  end
  state.newest = state.used > 0 and state.lastTime or 0
  return state
end

local function append(key, state, cost)
  local value = cmsgpack.pack(now, state.sum + cost)
  if state.last == 0 then
    redis.call('DEL', key)
    redis.call('RPUSH', key, cmsgpack.pack(0, state.sum, state.length, state.most))
  elseif state.grown then
    writeFirst(key, state)
  end
  if state.last > 0 and state.lastTime == now then
    redis.call('LSET', key, -1, value)
  else
    redis.call('RPUSH', key, value)
    if state.last >= state.most / 1000 then
      -- More entries than any limit has tokens: the oldest joins the next, and counts longer.
      redis.call('LTRIM', key, 1, -1)
      writeFirst(key, state)
    end
  end
  redis.call('PEXPIRE', key, ceil(state.length / 1000))
end

-- Makes a log that can't be read one in which all is used.
local function repair(key, limit)
  repaired = repaired + 1
  redis.call('DEL', key)
  append(key, { last = 0, sum = 0, length = limit.length, most = limit.most }, limit.most)
end

local function isForeign(failure)
  if type(failure) == 'table' and failure.foreign then
    return true
  end
  error(failure, 0)
end

function log.load()
  return {}
end

-- Returns how many times a claim's cost fits, up to so many.
function log.judge(claim, times)
  local key, limit = claim.key, claim.limit
  local fine, state = pcall(readLog, key, limit)
  if not fine and isForeign(state) then
    repair(key, limit)
    state = readLog(key, limit)
  end
  claim.state = state
  claim.before = state.used
  local room = limit.most - state.used
  if claim.delay < 0 or room < claim.cost then
    return 0
  end
  return claim.cost > 0 and min(times, floor(room / claim.cost)) or times
end

function log.take(claim, times)
  append(claim.key, claim.state, claim.cost * times)
end

function log.reset(claim)
  redis.call('DEL', claim.key)
end

local function waitInLog(claim)
  local key, limit = claim.key, claim.limit
  local state = readLog(key, limit)
  local excess = state.used + claim.cost - limit.most
  if excess <= 0 or state.last < 1 then
    return 0
  end
  local index = firstIndex(key, state.first, state.last,
    function(_, sum) return sum - state.base >= excess end)
  local wait = entry(key, index) + limit.length - now
  if wait <= 0 or wait > limit.length then
    -- Out of order.
    error({ foreign = true })
  end
  return wait
end

function log.waitFor(claim)
  local fine, wait = pcall(waitInLog, claim)
  if not fine and isForeign(wait) then
    repair(claim.key, claim.limit)
    return claim.limit.length
  end
  return wait
end

function log.reply(claim, replies, denied)
  local n = #replies
  replies[n + 1] = claim.before
  replies[n + 2] = denied and claim.delay >= 0 and log.waitFor(claim) or 0
  replies[n + 3] = claim.limit.length
  replies[n + 4] = claim.before > 0 and claim.state.newest + claim.limit.length - now or 0
end
