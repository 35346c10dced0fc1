-- Decides requests in their order. Each takes from all of its buckets, or from none.
--
-- KEYS     the buckets, each once
-- ARGV[1]  whole numbers in MessagePack:
--   how many limits, then for each
--     a token bucket   0, units a tick, units a thousandth, burst in units, reach in ticks,
--                      how many limits it has taken the place of, and for each of these:
--                      units a tick, units a thousandth, burst in units
--     a window         1 fixed or 2 counter or 3 log, length in ticks, limit in thousandths
--   how many requests, then for each
--     what to do       0 take, 1 preview, 2 charge, 3 refund, 4 reset
--     how often        the same request of several callers
--     how many claims, then for each: its key, its limit, its cost and its most
--                      in units of the limit, thousandths for a window; a claim passes while the
--                      debt stays within its most, and never if that is negative
--
-- Returns numbers: how many foreign values were put right, then for each request
--   how many of its callers it is granted to, the first ones; then for each claim
--     a token bucket   the debt before
--     a window         what was used before, ticks to wait for those denied, ticks to the reset of
--                      those granted, ticks to the reset if none is
--
-- Numbers stay below 2^53, so doubles are exact. A tick is a microsecond.

local PREVIEW, CHARGE, REFUND, RESET = 1, 2, 3, 4
local BUCKET, FIXED, COUNTER = 0, 1, 2

-- A bucket is kept once for each limit that it was lately asked under; at most so many.
local MOST_FORMS = 4

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local ceil, floor, fmod, max, min = math.ceil, math.floor, math.fmod, math.max, math.min

local numbers = cmsgpack.unpack(ARGV[1])
local position = 0

local function read()
  position = position + 1
  return numbers[position]
end

local repaired = 0

-- a * b / c, rounded up; c is positive
local function timesOverUp(a, b, c)
  local product = a * b
  local quotient = floor(product / c)
  local rest = product - quotient * c
  if product >= 2^53 or rest > 0 then
    return quotient + 1
  end
  return quotient
end

-- a * b / c, rounded down, or below that where doubles can't tell; c is positive
local function timesOver(a, b, c)
  local product = a * b
  local quotient = floor(product / c)
  if product >= 2^53 or quotient * c > product then
    return max(0, quotient - 1)
  end
  return quotient
end

-- Token buckets. A form is a bucket under one limit: fullAt ticks and remainder units (less than a
-- tick) until it is full; units a tick and a thousandth, and burst, which tell the limit; reach, the
-- longest delay in ticks promised on it. All forms of a bucket are charged for what any of them
-- grants, so that each limit sees everything that passed, but none is in debt beyond its burst for
-- what it did not grant itself.

local function debtOf(form, reach)
  local most = form.burst + max(reach, form.reach) * form.perTick
  local ticks = form.fullAt - now
  if ticks < 0 then
    return 0
  end
  if ticks > most / form.perTick then
    return most, true
  end
  local debt = ticks * form.perTick + form.remainder
  return min(most, debt), debt > most
end

local function owe(form, debt)
  form.remainder = fmod(debt, form.perTick)
  form.fullAt = now + (debt - form.remainder) / form.perTick
  if debt > form.burst then
    form.reach = max(form.reach, ceil((debt - form.burst) / form.perTick))
  end
end

local function isOf(form, limit)
  return form.perTick == limit.perTick
    and form.perThousandth == limit.perThousandth
    and form.burst == limit.burst
end

local function parse(value)
  local fields = { cmsgpack.unpack(value) }
  local forms = {}
  for i = 1, #fields, 6 do
    local form = {
      fullAt = fields[i], remainder = fields[i + 1], perTick = fields[i + 2],
      perThousandth = fields[i + 3], burst = fields[i + 4], reach = fields[i + 5],
    }
    -- Comparing is what tells numbers from anything else.
    if form.reach >= 0 and form.fullAt >= 0 and form.remainder >= 0 and form.perTick >= 1
      and form.perThousandth >= 1 and form.burst >= 1 then
      forms[#forms + 1] = form
    else
      error('not a form')
    end
  end
  return forms
end

-- The bucket's form under a limit: its own, or what is missing under the others carried over.
local function formUnder(bucket, limit)
  local carried = bucket.foreign and limit.burst or 0
  bucket.foreign = false
  local own
  for i = #bucket.forms, 1, -1 do
    local form = bucket.forms[i]
    if isOf(form, limit) then
      own = form
    else
      local debt = debtOf(form, 0)
      carried = max(carried, timesOverUp(debt, limit.perThousandth, form.perThousandth))
      for _, old in ipairs(limit.replaced) do
        if isOf(form, old) then
          table.remove(bucket.forms, i)
          bucket.changed = true
          break
        end
      end
    end
  end
  if not own then
    own = {
      perTick = limit.perTick, perThousandth = limit.perThousandth, burst = limit.burst, reach = 0,
    }
    local debt = min(carried, limit.burst)
    owe(own, debt)
    bucket.forms[#bucket.forms + 1] = own
    bucket.changed = bucket.changed or debt > 0
  end
  return own
end

-- Moves the debt of all forms by an amount of thousandths either way.
local function move(bucket, own, debt, thousandths)
  for _, form in ipairs(bucket.forms) do
    if form == own then
      owe(form, debt)
    else
      local before = debtOf(form, 0)
      local after = before + thousandths * form.perThousandth
      owe(form, max(0, min(after, max(before, form.burst))))
    end
  end
  bucket.changed = true
end

local tokenBucket = {}

function tokenBucket.load(value)
  if not value then
    return { forms = {} }
  end
  local fine, forms = pcall(parse, value)
  if fine then
    return { forms = forms }
  end
  repaired = repaired + 1
  return { forms = {}, foreign = true, changed = true }
end

function tokenBucket.judge(claim)
  local bucket, limit = claim.bucket, claim.limit
  claim.form = formUnder(bucket, limit)
  local debt, clamped = debtOf(claim.form, limit.reach)
  claim.before = debt
  if clamped and claim.cost > 0 and claim.most >= 0 then
    owe(claim.form, debt)
    bucket.changed = true
  end
  return claim.most - debt
end

function tokenBucket.take(claim, times)
  local cost = claim.cost * times
  move(claim.bucket, claim.form, claim.before + cost, cost / claim.limit.perThousandth)
end

function tokenBucket.charge(claim)
  local before, burst = claim.before, claim.limit.burst
  local debt = max(before, min(before + claim.cost, 2 * burst))
  move(claim.bucket, claim.form, debt, claim.cost / claim.limit.perThousandth)
end

function tokenBucket.refund(claim)
  local debt = max(0, claim.before - claim.cost)
  move(claim.bucket, claim.form, debt, -claim.cost / claim.limit.perThousandth)
end

function tokenBucket.reset(claim)
  claim.bucket.forms = {}
  claim.bucket.changed = true
end

function tokenBucket.reply(claim, replies)
  replies[#replies + 1] = claim.before
end

function tokenBucket.save(key, bucket)
  local fields, longest = {}, 0
  table.sort(bucket.forms, function(a, b) return a.fullAt > b.fullAt end)
  for i = 1, min(#bucket.forms, MOST_FORMS) do
    local form = bucket.forms[i]
    local ticks = form.fullAt - now
    if ticks >= 0 then
      longest = max(longest, ticks + 1)
      local n = #fields
      fields[n + 1], fields[n + 2], fields[n + 3] = form.fullAt, form.remainder, form.perTick
      fields[n + 4], fields[n + 5], fields[n + 6] = form.perThousandth, form.burst, form.reach
    end
  end
  if longest == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, cmsgpack.pack(unpack(fields)), 'PX', ceil(longest / 1000))
  end
end

-- Windows that count: index, the number of the aligned window; current, what was counted in it; and
-- previous, in the one before.

local window = {}

local function roll(state)
  local index = floor(now / state.length)
  if index > state.index then
    state.previous = index == state.index + 1 and state.current or 0
    state.current = 0
  elseif index < state.index then
    -- The share of the previous count would be another window's: all of it counts here.
    state.current = state.current + (state.kind == COUNTER and state.previous or 0)
    state.previous = 0
  end
  state.index = index
end

local function usedOf(state)
  roll(state)
  if state.kind == FIXED then
    return state.current
  end
  return state.current
    + timesOverUp(state.previous, state.length - fmod(now, state.length), state.length)
end

local function unused(limit)
  return { kind = limit.kind, length = limit.length, index = 0, current = 0, previous = 0 }
end

local function parseWindow(value)
  local kind, length, index, current, previous = cmsgpack.unpack(value)
  if (kind == FIXED or kind == COUNTER) and length >= 1 and index >= 0 and current >= 0
    and previous >= 0 then
    return { kind = kind, length = length, index = index, current = current, previous = previous }
  end
  error('not a window')
end

function window.load(value)
  if not value then
    return {}
  end
  local fine, state = pcall(parseWindow, value)
  if fine then
    return { state = state }
  end
  repaired = repaired + 1
  return { foreign = true }
end

function window.judge(claim)
  local bucket, limit = claim.bucket, claim.limit
  local state = bucket.state
  if not state or state.kind ~= limit.kind or state.length ~= limit.length then
    local used = bucket.foreign and limit.most or state and min(usedOf(state), limit.most) or 0
    state = unused(limit)
    roll(state)
    state.current = used
    bucket.state = state
    bucket.changed = bucket.foreign
    bucket.foreign = false
  end
  local index = state.index
  claim.before = usedOf(state)
  -- What is over is over, even if the clock should go back.
  bucket.changed = bucket.changed or state.index ~= index
  claim.resetBefore = window.resetAfter(state)
  return claim.most - claim.before
end

function window.resetAfter(state)
  local toEnd = state.length - fmod(now, state.length)
  if state.current > 0 then
    return state.kind == COUNTER and toEnd + state.length or toEnd
  end
  return state.kind == COUNTER and state.previous > 0 and toEnd or 0
end

function window.waitFor(claim)
  local state, limit = claim.bucket.state, claim.limit.most
  local room = limit - claim.cost
  if usedOf(state) <= room then
    return 0
  end
  local toEnd = state.length - fmod(now, state.length)
  if state.kind == FIXED then
    return toEnd
  end
  if state.current <= room then
    return toEnd - timesOver(room - state.current, state.length, state.previous)
  end
  return toEnd + state.length - timesOver(room, state.length, state.current)
end

function window.take(claim, times)
  local state = claim.bucket.state
  state.current = state.current + claim.cost * times
  claim.bucket.changed = true
end

function window.reset(claim)
  claim.bucket.state = unused(claim.limit)
  claim.bucket.changed = true
end

function window.reply(claim, replies, denied)
  local state = claim.bucket.state
  local n = #replies
  replies[n + 1] = claim.before
  replies[n + 2] = denied and claim.most >= 0 and window.waitFor(claim) or 0
  replies[n + 3] = state.length * state.kind - fmod(now, state.length)
  replies[n + 4] = claim.resetBefore
end

function window.save(key, bucket)
  local state = bucket.state
  local left = window.resetAfter(state)
  if left == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key,
      cmsgpack.pack(state.kind, state.length, state.index, state.current, state.previous),
      'PX', ceil(left / 1000))
  end
end

-- Logs: a list of the requests of the last window, oldest first, each its time and the sum of all
-- costs up to it. The first element is one that no longer counts; its sum is what the rest starts
-- from. Written at once, so that the list is the state.

local log = {}

local CHUNK = 64

local function entry(key, index)
  local value = redis.call('LINDEX', key, index)
  if value then
    local when, sum = cmsgpack.unpack(value)
    if when >= 0 and sum >= 0 then
      return when, sum
    end
    error('not an entry')
  end
end

local function expire(key, length)
  local last = redis.call('LLEN', key) - 1
  for i = last, 1, -1 do
    local when, sum = entry(key, i)
    if when <= now then
      break
    end
    redis.call('LSET', key, i, cmsgpack.pack(now, sum))
  end
  local expired = 0
  while expired < last do
    local when = entry(key, expired + 1)
    if now - when < length then
      break
    end
    expired = expired + 1
  end
  if expired > 0 then
    redis.call('LTRIM', key, expired, -1)
  end
end

local function readLog(key, length)
  expire(key, length)
  local _, base = entry(key, 0)
  local newest, sum = entry(key, -1)
  local used = base and sum - base or 0
  return { used = used, base = base or 0, newest = used > 0 and newest or 0, sum = sum or 0 }
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

function log.load()
  return {}
end

function log.judge(claim)
  local key, limit = claim.key, claim.limit
  local fine, state = pcall(readLog, key, limit.length)
  if not fine then
    repaired = repaired + 1
    redis.call('DEL', key)
    append(key, limit.length, { used = 0, sum = 0 }, limit.most)
    state = readLog(key, limit.length)
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

function log.waitFor(claim)
  local key, length = claim.key, claim.limit.length
  local state = readLog(key, length)
  local excess = state.used + claim.cost - claim.limit.most
  local from = 1
  while excess > 0 do
    local values = redis.call('LRANGE', key, from, from + CHUNK - 1)
    for _, value in ipairs(values) do
      local when, sum = cmsgpack.unpack(value)
      if sum - state.base >= excess then
        return when + length - now
      end
    end
    if #values == 0 then
      break
    end
    from = from + CHUNK
  end
  return 0
end

function log.reply(claim, replies, denied)
  local n = #replies
  replies[n + 1] = claim.before
  replies[n + 2] = denied and claim.most >= 0 and log.waitFor(claim) or 0
  replies[n + 3] = claim.limit.length
  replies[n + 4] = claim.before > 0 and claim.state.newest + claim.limit.length - now or 0
end

-- Reading the call.

local algorithms = { [0] = tokenBucket, window, window, log }

local function readLimit()
  local limit = { kind = read() }
  limit.algorithm = algorithms[limit.kind]
  if limit.kind == BUCKET then
    limit.perTick, limit.perThousandth, limit.burst, limit.reach = read(), read(), read(), read()
    limit.replaced = {}
    for i = 1, read() do
      limit.replaced[i] = { perTick = read(), perThousandth = read(), burst = read() }
    end
  else
    limit.length, limit.most = read(), read()
  end
  return limit
end

local limits = {}
for i = 1, read() do
  limits[i] = readLimit()
end

local buckets = {}

local function bucketOf(key, limit)
  local bucket = buckets[key]
  if not bucket then
    local name = KEYS[key]
    local value = limit.algorithm ~= log and redis.pcall('GET', name)
    if type(value) == 'table' then
      value = 'of another type'
    end
    bucket = limit.algorithm.load(value)
    bucket.algorithm = limit.algorithm
    buckets[key] = bucket
  end
  return bucket
end

-- Deciding.

local function grant(claims, what, times)
  local granted = times
  for i = 1, #claims do
    local claim = claims[i]
    local room = claim.limit.algorithm.judge(claim)
    if room < claim.cost or room < 0 then
      granted = 0
    elseif claim.cost > 0 then
      granted = min(granted, floor(room / claim.cost))
    end
  end
  if granted > 0 and what ~= PREVIEW then
    for i = 1, #claims do
      if claims[i].cost > 0 then
        claims[i].limit.algorithm.take(claims[i], granted)
      end
    end
  end
  return granted
end

-- Does something to one bucket without asking whether it may.
local function change(claim, what)
  local algorithm = claim.limit.algorithm
  algorithm.judge(claim)
  if what == CHARGE then
    algorithm.charge(claim)
  elseif what == REFUND then
    algorithm.refund(claim)
  else
    algorithm.reset(claim)
  end
end

local replies = { 0 }

for _ = 1, read() do
  local what, times = read(), read()
  local claims = {}
  for i = 1, read() do
    local key, limit = read(), limits[read()]
    claims[i] = {
      key = KEYS[key], limit = limit, bucket = bucketOf(key, limit), cost = read(), most = read(),
    }
  end
  local granted = times
  if what <= PREVIEW then
    granted = grant(claims, what, times)
  else
    change(claims[1], what)
  end
  replies[#replies + 1] = granted
  for i = 1, #claims do
    claims[i].limit.algorithm.reply(claims[i], replies, granted < times)
  end
end

for key, bucket in pairs(buckets) do
  if bucket.changed then
    bucket.algorithm.save(KEYS[key], bucket)
  end
end

replies[1] = repaired
return replies
