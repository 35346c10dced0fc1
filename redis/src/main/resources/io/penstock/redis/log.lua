-- Logs: a list of the requests of the last window, oldest first, each its time and the sum of all
-- costs up to it. The first element is one that no longer counts; its sum is what the rest starts
-- from. Written at once, so that the list is the state.

local log = {}

local function entry(key, index)
  local value = redis.call('LINDEX', key, index)
  local fine, when, sum, more = pcall(cmsgpack.unpack, value)
  -- Logs count whole tokens, and text is told from them by that.
  if fine and isWhole(when, 0) and isWhole(sum, 0) and fmod(sum, 1000) == 0 and not more then
    return when, sum
  end
  -- Kept apart from errors of Redis, which are not to be taken for foreign values.
  error({ foreign = true })
end

-- The first index from 1 to last for which a test of time and sum holds, last if for none: both
-- only grow along the list.
local function firstIndex(key, last, test)
  local low, high = 1, last
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

local function expire(key, length, last)
  for i = last, 1, -1 do
    local when, sum = entry(key, i)
    if when <= now then
      break
    end
    redis.call('LSET', key, i, cmsgpack.pack(now, sum))
  end
  if last >= 1 and now - entry(key, 1) >= length then
    local valid = firstIndex(key, last, function(when) return now - when < length end)
    local newest = entry(key, valid)
    -- The last that has expired stays, for its sum.
    redis.call('LTRIM', key, now - newest < length and valid - 1 or valid, -1)
  end
end

local function readLog(key, limit)
  local count = redis.pcall('LLEN', key)
  if type(count) == 'table' then
    error({ foreign = true })
  end
  if count == 0 then
    return { used = 0, base = 0, newest = 0, sum = 0 }
  end
  expire(key, limit.length, count - 1)
  local _, base = entry(key, 0)
  local newest, sum = entry(key, -1)
  if sum < base then
    error({ foreign = true })
  end
  return { used = sum - base, base = base, newest = sum > base and newest or 0, sum = sum }
end

local function append(key, length, state, cost)
  local value = cmsgpack.pack(now, state.sum + cost)
  if state.used == 0 then
    redis.call('DEL', key)
    redis.call('RPUSH', key, cmsgpack.pack(0, state.sum))
  end
  if state.used > 0 and state.newest == now then
    redis.call('LSET', key, -1, value)
  else
    redis.call('RPUSH', key, value)
  end
  redis.call('PEXPIRE', key, ceil(length / 1000))
end

-- Makes a log that can't be read one in which all is used.
local function repair(key, limit)
  repaired = repaired + 1
  redis.call('DEL', key)
  append(key, limit.length, { used = 0, sum = 0 }, limit.most)
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

function log.judge(claim)
  local key, limit = claim.key, claim.limit
  local fine, state = pcall(readLog, key, limit)
  if not fine and isForeign(state) then
    repair(key, limit)
    state = readLog(key, limit)
  end
  claim.state = state
  claim.before = state.used
  return claim.most - state.used
end

function log.take(claim, times)
  append(claim.key, claim.limit.length, claim.state, claim.cost * times)
end

function log.reset(claim)
  redis.call('DEL', claim.key)
end

local function waitInLog(claim)
  local key, limit = claim.key, claim.limit
  local state = readLog(key, limit)
  local excess = state.used + claim.cost - limit.most
  local last = redis.call('LLEN', key) - 1
  if excess <= 0 or last < 1 then
    return 0
  end
  local index = firstIndex(key, last, function(_, sum) return sum - state.base >= excess end)
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
  replies[n + 2] = denied and claim.most >= 0 and log.waitFor(claim) or 0
  replies[n + 3] = claim.limit.length
  replies[n + 4] = claim.before > 0 and claim.state.newest + claim.limit.length - now or 0
end
