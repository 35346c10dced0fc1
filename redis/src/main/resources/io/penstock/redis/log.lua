-- Sliding logs: a list of the requests of the last window, oldest first, each with its time and the sum
-- of all costs up to it. The first element no longer counts: its sum is the base of the others. It also
-- has the longest window and the largest limit that the log was used under, which determine how long
-- and how many entries are kept. Changes are written immediately, so the list itself is the state.

local log = {}

local MAX_WINDOW = 10 * 366 * 86400 * 1000000

-- How many entries may follow one that is inserted; bounds the time that a call takes.
local MAX_MOVED = 1000

-- Returns time and sum; for the first element also the longest window and the largest limit, unless
-- an earlier version wrote it.
local function entry(key, index)
  local value = redis.call('LINDEX', key, index)
  local ok, when, sum, length, capacity, more = pcall(cmsgpack.unpack, value)
  -- Logs count whole tokens, which distinguishes their entries from text.
  if ok and isWhole(when, 0) and isWhole(sum, 0) and fmod(sum, 1000) == 0 and not more
    and (not length or index == 0 and isWhole(length, 1) and length <= MAX_WINDOW
      and isWhole(capacity, 1)) then
    return when, sum, length, capacity
  end
  -- A table, to distinguish it from errors of Redis, which don't mean that the value is foreign.
  error({ foreign = true })
end

-- Binary search: the first index from first to last for which a test of time and sum is true, or
-- last if there is none. Both are ascending along the list.
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
  redis.call('LSET', key, 0, cmsgpack.pack(0, state.start, state.length, state.capacity))
end

-- The index of the first entry in a window that ends now; the index after the last entry if there
-- is none.
local function firstWithin(key, last, length)
  if now - entry(key, 1) < length then
    return 1
  end
  local first = firstIndex(key, 1, last, function(when) return now - when < length end)
  return now - entry(key, first) < length and first or first + 1
end

-- After a clock step back, entries with a time in the future count from now.
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
    length = limit.length, capacity = limit.capacity }
  if count < 2 then
    if count == 1 then
      -- Left by an older version, unless it is foreign.
      entry(key, 0)
    end
    return state
  end
  local _, start, length, capacity = entry(key, 0)
  state.start = start
  state.length, state.capacity = max(limit.length, length or 0), max(limit.capacity, capacity or 0)
  state.grown = state.length ~= length or state.capacity ~= capacity
  local last = stepBack(key, count - 1)
  local kept = firstWithin(key, last, state.length)
  if kept > last then
    -- Expired entries stay expired under any limit, even if the clock steps back.
    redis.call('DEL', key)
    state.start = 0
    return state
  end
  if kept > 1 then
    -- Keep the last expired entry, for its sum.
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
    redis.call('RPUSH', key, cmsgpack.pack(0, state.sum, state.length, state.capacity))
  elseif state.grown then
    writeFirst(key, state)
  end
  if state.last > 0 and state.lastTime == now then
    redis.call('LSET', key, -1, value)
  else
    redis.call('RPUSH', key, value)
    if state.last >= state.capacity / 1000 then
      -- More entries than the largest limit has tokens: merge the oldest into the next, which
      -- counts longer.
      redis.call('LTRIM', key, 1, -1)
      writeFirst(key, state)
    end
  end
  redis.call('PEXPIRE', key, ceil(state.length / 1000))
end

-- Replaces a log that can't be parsed by one in which the limit is exhausted.
local function repair(key, limit)
  repaired = repaired + 1
  redis.call('DEL', key)
  append(key, { last = 0, sum = 0, length = limit.length, capacity = limit.capacity }, limit.capacity)
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

-- Returns how many times the cost of a claim fits, up to the given number of times.
function log.evaluate(claim, times)
  local key, limit = claim.key, claim.limit
  local ok, state = pcall(readLog, key, limit)
  if not ok and isForeign(state) then
    repair(key, limit)
    state = readLog(key, limit)
  end
  claim.state = state
  claim.before = state.used
  local room = limit.capacity - state.used
  if claim.delay < 0 or room < claim.cost then
    return 0
  end
  return claim.cost > 0 and min(times, floor(room / claim.cost)) or times
end

function log.take(claim, times)
  append(claim.key, claim.state, claim.cost * times)
end

-- Inserts entries, so that from each of the given times on, the log contains at least what a node has
-- granted since then.
local function insertGrants(claim, grants)
  local key, state = claim.key, claim.state
  -- The entries since the first grant, newest first.
  local newer = {}
  local index, when, sum = state.last, state.lastTime or 0, state.sum
  while index > 0 and #newer < MAX_MOVED and when >= grants[1].time do
    local whenBefore, sumBefore = entry(key, index - 1)
    newer[#newer + 1] = { time = when, amount = sum - sumBefore }
    index, when, sum = index - 1, whenBefore, sumBefore
  end
  local merged, next, counted, granted, inserts = {}, 1, 0, 0, false
  for i = #grants, 1, -1 do
    local time = min(grants[i].time, now)
    granted = min(claim.limit.capacity, granted + grants[i].amount)
    while newer[next] and newer[next].time >= time do
      counted = counted + newer[next].amount
      merged[#merged + 1], next = newer[next], next + 1
    end
    if granted > counted and time >= when and now - time < state.length then
      merged[#merged + 1] = { time = time, amount = granted - counted }
      counted, inserts = granted, true
    end
  end
  if not inserts then
    return
  end
  for i = next, #newer do
    merged[#merged + 1] = newer[i]
  end
  if state.last == 0 then
    redis.call('DEL', key)
    redis.call('RPUSH', key, cmsgpack.pack(0, sum, state.length, state.capacity))
    state.start = sum
  else
    redis.call('LTRIM', key, 0, index)
  end
  for i = #merged, 1, -1 do
    sum = sum + merged[i].amount
    redis.call('RPUSH', key, cmsgpack.pack(merged[i].time, sum))
  end
  -- As in append: merge the oldest entries.
  local excess = max(0, index + #merged - floor(state.capacity / 1000))
  redis.call('LTRIM', key, excess, -1)
  writeFirst(key, state)
  redis.call('PEXPIRE', key, ceil(state.length / 1000))
end

-- Raises the sums to what a node that decided without Redis has granted since each of the given times,
-- oldest first. Sums that are already larger stay.
function log.raiseDebt(claim, grants)
  local ok, failure = pcall(insertGrants, claim, grants)
  if not ok and isForeign(failure) then
    repair(claim.key, claim.limit)
  end
end

function log.reset(claim)
  redis.call('DEL', claim.key)
end

local function waitInLog(claim)
  local key, limit = claim.key, claim.limit
  local state = readLog(key, limit)
  local excess = state.used + claim.cost - limit.capacity
  if excess <= 0 or state.last < 1 then
    return 0
  end
  local index = firstIndex(key, state.first, state.last,
    function(_, sum) return sum - state.base >= excess end)
  local wait = entry(key, index) + limit.length - now
  if wait <= 0 or wait > limit.length then
    -- The entries are out of order.
    error({ foreign = true })
  end
  return wait
end

function log.waitFor(claim)
  local ok, wait = pcall(waitInLog, claim)
  if not ok and isForeign(wait) then
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
