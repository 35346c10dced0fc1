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

local TAKE, PREVIEW, CHARGE, REFUND, RESET = 0, 1, 2, 3, 4
local BUCKET, FIXED, COUNTER = 0, 1, 2

-- A bucket is kept once for each limit that it was lately asked under; at most so many.
local MOST_FORMS = 4
local MARK = 't'

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local ceil, floor, fmod, max, min = math.ceil, math.floor, math.fmod, math.max, math.min

local numbers = cmsgpack.unpack(ARGV[1])
local function isWhole(number, least)
  return type(number) == 'number' and number >= least and number < 2^53 and number == floor(number)
end

-- The usual call: token buckets under one limit that replaces no other, each asked for once, to take
-- from; and each kept under that limit alone. It comes first because making all the functions below
-- takes longer than it does. Nothing is written before it is certain that the call is of this sort;
-- otherwise the answer is nil, and the rest of the script decides.
local function decideUsual()
  local perTick, perThousandth, burst = numbers[3], numbers[4], numbers[5]
  local reach, count = numbers[6], numbers[8]
  if numbers[1] ~= 1 or numbers[2] ~= BUCKET or numbers[7] ~= 0 or count ~= #KEYS then
    return nil
  end
  local values = redis.call('MGET', unpack(KEYS))
  local debts, reaches, seen = {}, {}, {}
  for i = 1, count do
    local at = 2 + 7 * i
    local key = numbers[at + 3]
    if numbers[at] ~= TAKE or numbers[at + 2] ~= 1 or seen[key] then
      return nil
    end
    seen[key] = true
    local debt, far = 0, 0
    -- MGET has nothing to say of other types, which are foreign values.
    local value = values[key] or redis.pcall('GET', KEYS[key])
    if value then
      local fine, mark, fullAt, remainder, tick, thousandth, whole, reached, past, more =
        pcall(cmsgpack.unpack, value)
      if not fine or mark ~= MARK or tick ~= perTick or thousandth ~= perThousandth
        or whole ~= burst or past ~= 0 or more or not isWhole(fullAt, 0)
        or not isWhole(remainder, 0) or remainder >= perTick or not isWhole(reached, 0)
        or burst + reached * perTick >= 2^53 then
        return nil
      end
      far = reached
      local ticks, most = fullAt - now, burst + max(reach, far) * perTick
      if ticks > most / perTick or ticks * perTick + remainder > most then
        return nil
      end
      debt = ticks < 0 and 0 or ticks * perTick + remainder
    end
    debts[i], reaches[i] = debt, far
  end
  local replies = { 0 }
  for i = 1, count do
    local at = 2 + 7 * i
    local granted, cost, debt = numbers[at + 1], numbers[at + 5], debts[i]
    local room = numbers[at + 6] - debt
    if room < cost or room < 0 then
      granted = 0
    elseif cost > 0 then
      granted = min(granted, floor(room / cost))
    end
    replies[2 * i], replies[2 * i + 1] = granted, debt
    if granted > 0 and cost > 0 then
      local after, far = debt + granted * cost, reaches[i]
      local remainder = fmod(after, perTick)
      local ticks = (after - remainder) / perTick
      if after > burst then
        far = max(far, ceil((after - burst) / perTick))
      end
      redis.call('SET', KEYS[numbers[at + 3]],
        cmsgpack.pack(MARK, now + ticks, remainder, perTick, perThousandth, burst, far, 0),
        'PX', ceil((ticks + 1) / 1000))
    end
  end
  return replies
end

local usual = decideUsual()
if usual then
  return usual
end

local position = 0

local function read()
  position = position + 1
  return numbers[position]
end

local repaired = 0

-- a * b / c and what is left over, all whole and not negative. Exact while the product is below
-- 2^53, or b and c are below 2^49; otherwise the quotient is as near as doubles come.
local function divide(a, b, c)
  local product = a * b
  if product < 2^53 or b >= 2^49 or c >= 2^49 then
    local quotient = floor(product / c)
    return quotient, product - quotient * c
  end
  local quotient, rest = 0, 0
  for digit = 17, 0, -1 do
    local part = rest * 8 + fmod(floor(a / 8^digit), 8) * b
    local whole = floor(part / c)
    quotient, rest = quotient * 8 + whole, part - whole * c
  end
  return quotient, rest
end

local function divideUp(a, b, c)
  local quotient, rest = divide(a, b, c)
  return rest ~= 0 and quotient + 1 or quotient
end

-- Token buckets. A form is a bucket under one limit: fullAt ticks and remainder units (less than a
-- tick) until it is full; units a tick and a thousandth, and burst, which tell the limit; reach, the
-- longest delay in ticks promised on it; and past, which is 1 if somebody has another limit instead.
-- All forms of a bucket are charged for what any of them grants, so that each limit sees everything
-- that passed, but none is in debt beyond its burst for what it did not grant itself. Forms of the
-- past are kept and charged as well, because other nodes may still go by their limits.

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

local function isForm(form)
  return isWhole(form.fullAt, 0) and isWhole(form.remainder, 0) and isWhole(form.perTick, 1)
    and isWhole(form.perThousandth, 1) and isWhole(form.burst, 1) and isWhole(form.reach, 0)
    and (form.past == 0 or form.past == 1)
    and form.remainder < form.perTick and fmod(form.burst, form.perThousandth) == 0
    and form.burst + form.reach * form.perTick < 2^53
end

-- What is kept: a mark, by which text is told from our values, and seven numbers for each form.
local function parse(value)
  local fields = { cmsgpack.unpack(value) }
  local count = (#fields - 1) / 7
  if fields[1] ~= MARK or count < 1 or count > MOST_FORMS or count ~= floor(count) then
    error('not forms')
  end
  local forms = {}
  for i = 2, #fields, 7 do
    local form = {
      fullAt = fields[i], remainder = fields[i + 1], perTick = fields[i + 2],
      perThousandth = fields[i + 3], burst = fields[i + 4], reach = fields[i + 5],
      past = fields[i + 6],
    }
    if not isForm(form) then
      error('not a form')
    end
    forms[#forms + 1] = form
  end
  return forms
end

local function isReplaced(form, limit)
  for _, old in ipairs(limit.replaced) do
    if isOf(form, old) then
      return true
    end
  end
  return false
end

-- The bucket's form under a limit: its own, or what is missing under the others carried over. Who
-- only looks finds it too, but leaves no trace of it; except that a limit which takes the place of
-- another does so at first sight.
local function formUnder(bucket, limit, writes)
  local carried = bucket.foreign and limit.burst or 0
  local own, replaces
  for _, form in ipairs(bucket.forms) do
    if isOf(form, limit) then
      own = form
    elseif form.past == 0 then
      local debt, clamped = debtOf(form, 0)
      if clamped then
        owe(form, debt)
      end
      carried = max(carried, divideUp(debt, limit.perThousandth, form.perThousandth))
      if isReplaced(form, limit) then
        form.past = 1
        replaces = true
      end
    end
  end
  if not own then
    own = { perTick = limit.perTick, perThousandth = limit.perThousandth, burst = limit.burst }
    bucket.forms[#bucket.forms + 1] = own
    replaces = replaces or bucket.foreign
  elseif own.past == 0 or not replaces then
    if own.past == 1 then
      own.past = 0
      bucket.pending = true
    end
    bucket.changed = bucket.changed or writes and bucket.pending
    return own
  end
  local debt = min(carried, limit.burst)
  own.reach, own.past, own.unused = 0, 0, debt == 0
  owe(own, debt)
  bucket.foreign = false
  bucket.pending = bucket.pending or debt > 0
  bucket.changed = bucket.changed or replaces or writes and bucket.pending
  return own
end

-- Sets the debt of a form, and moves that of all others by an amount of thousandths.
local function move(bucket, own, debt, thousandths)
  for _, form in ipairs(bucket.forms) do
    form.unused = false
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
  claim.form = formUnder(bucket, limit, claim.writes)
  local debt, clamped = debtOf(claim.form, limit.reach)
  claim.before = debt
  if clamped and claim.writes then
    owe(claim.form, debt)
    bucket.changed = true
  end
  return claim.most - debt
end

function tokenBucket.take(claim, times)
  local cost = claim.cost * times
  move(claim.bucket, claim.form, claim.before + cost, floor(cost / claim.limit.perThousandth))
end

function tokenBucket.charge(claim)
  local before, burst = claim.before, claim.limit.burst
  local debt = max(before, min(before + claim.cost, 2 * burst))
  move(claim.bucket, claim.form, debt, floor(claim.cost / claim.limit.perThousandth))
end

function tokenBucket.refund(claim)
  local debt = max(0, claim.before - claim.cost)
  move(claim.bucket, claim.form, debt, -floor(claim.cost / claim.limit.perThousandth))
end

function tokenBucket.reset(claim)
  claim.bucket.forms = {}
  claim.bucket.changed = true
end

function tokenBucket.reply(claim, replies)
  replies[#replies + 1] = claim.before
end

-- Those in force come first, then those that are full last.
local function isKeptRather(one, other)
  if one.past ~= other.past then
    return one.past < other.past
  end
  return one.fullAt > other.fullAt
end

function tokenBucket.save(key, bucket)
  local fields, longest = {}, 0
  table.sort(bucket.forms, isKeptRather)
  for i = 1, min(#bucket.forms, MOST_FORMS) do
    local form = bucket.forms[i]
    local ticks = form.fullAt - now
    if ticks >= 0 and not form.unused then
      longest = max(longest, ticks + 1)
      local n = #fields
      fields[n + 1], fields[n + 2], fields[n + 3] = form.fullAt, form.remainder, form.perTick
      fields[n + 4], fields[n + 5], fields[n + 6] = form.perThousandth, form.burst, form.reach
      fields[n + 7] = form.past
    end
  end
  if longest == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, cmsgpack.pack(MARK, unpack(fields)), 'PX', ceil(longest / 1000))
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
    + divideUp(state.previous, state.length - fmod(now, state.length), state.length)
end

local function unused(limit)
  return { kind = limit.kind, length = limit.length, index = 0, current = 0, previous = 0 }
end

local function parseWindow(value)
  local kind, length, index, current, previous, more = cmsgpack.unpack(value)
  if (kind == FIXED or kind == COUNTER) and isWhole(length, 1) and isWhole(index, 0)
    and isWhole(current, 0) and isWhole(previous, 0) and not more then
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

-- What a bucket that counts by another kind or length has used, at most all of it, counts from now.
local function converted(limit, used)
  local own = unused(limit)
  roll(own)
  own.current = min(used, limit.most)
  return own
end

-- A claim under another kind or length judges a copy, which takes the bucket's place only when
-- something is taken: so going from one to the other and back forgets nothing.
function window.judge(claim)
  local bucket, limit = claim.bucket, claim.limit
  if bucket.foreign then
    bucket.state = converted(limit, limit.most)
    bucket.foreign, bucket.changed = false, true
  end
  local state = bucket.state or converted(limit, 0)
  bucket.state = state
  local index = state.index
  roll(state)
  -- What is over is over, even if the clock should go back.
  bucket.changed = bucket.changed or state.index ~= index
  if state.kind ~= limit.kind or state.length ~= limit.length then
    state = converted(limit, usedOf(state))
  end
  claim.state = state
  claim.before = usedOf(state)
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
  local state, limit = claim.state, claim.limit.most
  local room = limit - claim.cost
  if usedOf(state) <= room then
    return 0
  end
  local toEnd = state.length - fmod(now, state.length)
  if state.kind == FIXED then
    return toEnd
  end
  if state.current <= room then
    return toEnd - divide(state.length, room - state.current, state.previous)
  end
  return toEnd + state.length - divide(state.length, room, state.current)
end

function window.take(claim, times)
  claim.state.current = claim.state.current + claim.cost * times
  claim.bucket.state = claim.state
  claim.bucket.changed = true
end

function window.reset(claim)
  claim.state = converted(claim.limit, 0)
  claim.bucket.state = claim.state
  claim.bucket.changed = true
end

function window.reply(claim, replies, denied)
  local state = claim.state
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
    -- An error: of another type. What is empty is foreign too.
    if type(value) == 'table' then
      value = ''
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
    local claim = {
      key = KEYS[key], limit = limit, bucket = bucketOf(key, limit), cost = read(), most = read(),
    }
    claim.writes = what ~= PREVIEW and claim.cost > 0 and claim.most >= 0
    claims[i] = claim
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
