-- Windows with counters. A bucket has a state for each limit that it is used under:
--   kind, length, capacity
--                    the limit
--   current          the count of the aligned window that contains now
--   previous         the count of the window before
--   ahead            see below; only for fixed windows
--
-- A grant under any limit is counted in all states, so that each limit accounts for everything that
-- passed.
--
-- If the clock steps back to before the start of a fixed window, the window stays open: ahead is 1
-- while current is the count of the window after the one that contains now. A window never ends earlier
-- than it would have without the step, so a clock that moves back and forth across a boundary doesn't
-- empty it repeatedly. It ends at most one length later.
--
-- A window counts at most its limit. Grants of other limits beyond that count in the windows that
-- follow. Otherwise, if windows of different lengths end shortly after one another, each would grant
-- its whole limit once more.

local WINDOWS_MARK = 'W'

local window = {}

local function share(state, at)
  return divideUp(state.previous, state.length - fmod(at, state.length), state.length)
end

-- The amount that counts against the limit now.
local function usedOf(state)
  return state.kind == FIXED and state.current or state.current + share(state, now)
end

-- Ticks to the end of the window that a state counts in.
local function toEndOf(state)
  return (1 + state.ahead) * state.length - fmod(now, state.length)
end

-- Updates a state that was written at an earlier time.
local function roll(state, ended)
  state.ahead = max(0, -ended)
  if ended > 0 then
    local left = max(0, state.current - (ended - 1) * state.capacity)
    state.previous = state.kind == COUNTER and min(left, state.capacity) or 0
    state.current = max(0, left - state.capacity)
  end
end

local function windowsSince(state, written)
  return floor(now / state.length) - floor(written / state.length) - state.ahead
end

-- Updates a state that was written at a later time: its level stays the same.
local function stepBack(state, written)
  if state.kind == COUNTER then
    -- Count the weighted part of the previous window in the current one.
    state.current, state.previous = state.current + share(state, written), 0
  else
    -- Move the window by as many lengths as fit into the step.
    local length = state.length
    local moved = floor(written / length) + state.ahead - floor((written - now) / length)
    state.ahead = min(1, moved - floor(now / length))
  end
end

-- The largest count that a state keeps: its limit, plus what expires within the longest window.
local function maxCount(state, longest)
  return state.capacity * (1 + ceil(longest / state.length))
end

local function isCount(state)
  return (state.kind == FIXED or state.kind == COUNTER) and isWhole(state.length, 1)
    and isWhole(state.capacity, 1) and isWhole(state.current, 0) and isWhole(state.previous, 0)
end

-- Values of earlier versions: one count with the index of its window, and no limit.
local function parseOld(kind, length, index, current, previous)
  local state = {
    kind = kind, length = length, capacity = 1, current = current, previous = previous, old = true,
    ahead = 0,
  }
  if not isCount(state) or not isWhole(index, 0) then
    error('not a window')
  end
  state.capacity = max(1, current, previous)
  local ended = floor(now / length) - index
  if ended < 0 and kind == COUNTER then
    state.current, state.previous = current + previous, 0
  end
  roll(state, max(0, ended))
  return { states = { state }, stepped = ended < 0, rolled = ended > 0 }
end

-- Parses a value: a type mark, the time at which it was written, and five numbers for each state.
-- The last of them is previous or, for a fixed window, which doesn't need previous, ahead.
local function parseWindows(value)
  local fields = { cmsgpack.unpack(value) }
  if fields[1] ~= WINDOWS_MARK then
    if #fields ~= 5 then
      error('not a window')
    end
    return parseOld(unpack(fields))
  end
  local written, count = fields[2], (#fields - 2) / 5
  if not isWhole(written, 0) or count < 1 or count > MAX_STATES or count ~= floor(count) then
    error('not windows')
  end
  local bucket = { states = {}, stepped = written > now }
  local longest = 1
  for i = 3, #fields, 5 do
    local state = {
      kind = fields[i], length = fields[i + 1], capacity = fields[i + 2], current = fields[i + 3],
      previous = fields[i + 4], ahead = 0, known = true,
    }
    if not isCount(state) then
      error('not a window')
    end
    if state.kind == FIXED then
      state.ahead, state.previous = min(1, state.previous), 0
    end
    longest = max(longest, state.length)
    bucket.states[#bucket.states + 1] = state
  end
  for _, state in ipairs(bucket.states) do
    state.current = min(state.current, maxCount(state, longest))
    state.previous = min(state.previous, state.capacity)
    if bucket.stepped then
      stepBack(state, written)
    else
      local ended = windowsSince(state, written)
      roll(state, ended)
      bucket.rolled = bucket.rolled or ended > 0
    end
  end
  return bucket
end

function window.load(value)
  if not value then
    return { states = {} }
  end
  local ok, bucket = pcall(parseWindows, value)
  if ok then
    return bucket
  end
  repaired = repaired + 1
  return { states = {}, foreign = true }
end

-- Returns the state for a limit. If there is none, creates one with the largest count of the
-- others, up to the limit.
local function countUnder(bucket, limit, writes)
  local carried, ahead = bucket.foreign and limit.capacity or 0, 0
  for _, state in ipairs(bucket.states) do
    if state.kind == limit.kind and state.length == limit.length then
      if state.old then
        state.capacity, state.old = limit.capacity, nil
        state.current = min(state.current, state.capacity)
        state.previous = min(state.previous, state.capacity)
      end
      if state.capacity == limit.capacity then
        return state
      end
      ahead = max(ahead, state.ahead)
    end
    carried = max(carried, usedOf(state))
  end
  local own = {
    kind = limit.kind, length = limit.length, capacity = limit.capacity,
    current = min(carried, limit.capacity), previous = 0, ahead = ahead,
  }
  bucket.states[#bucket.states + 1] = own
  -- Even for a denial, so that its retry hint is valid.
  bucket.changed = bucket.changed or writes and own.current > 0
  return own
end

-- Returns how many times the cost of a claim fits, up to the given number of times.
function window.evaluate(claim, times)
  local bucket, limit = claim.bucket, claim.limit
  local state = countUnder(bucket, limit, claim.writes)
  if bucket.foreign then
    bucket.foreign, bucket.changed = false, true
  end
  -- Expired counts stay expired, even if the clock steps back.
  bucket.changed = bucket.changed or bucket.rolled or claim.writes and bucket.stepped
  state.inCall = true
  claim.state = state
  claim.before = usedOf(state)
  claim.resetBefore = window.resetAfter(state)
  local room = limit.capacity - claim.before
  if claim.delay < 0 or room < claim.cost then
    return 0
  end
  return claim.cost > 0 and min(times, floor(room / claim.cost)) or times
end

function window.resetAfter(state)
  local toEnd = toEndOf(state)
  if state.current > 0 then
    local windows = ceil(state.current / state.capacity) - (state.kind == FIXED and 1 or 0)
    return toEnd + windows * state.length
  end
  return state.kind == COUNTER and state.previous > 0 and toEnd or 0
end

function window.waitFor(claim)
  local state, capacity = claim.state, claim.limit.capacity
  local room = capacity - claim.cost
  if usedOf(state) <= room then
    return 0
  end
  local toEnd = toEndOf(state)
  if state.kind == COUNTER and state.current <= room then
    return toEnd - divide(state.length, room - state.current, state.previous)
  end
  -- The number of windows until the count no longer exceeds the room.
  local ended = max(1, ceil((state.current - room) / capacity))
  local wait = toEnd + (ended - 1) * state.length
  if state.kind == COUNTER then
    local current = max(0, state.current - ended * capacity)
    local previous = min(capacity, state.current - (ended - 1) * capacity)
    wait = wait + state.length - min(state.length, (divide(state.length, room - current, previous)))
  end
  return wait
end

-- Counts a grant under the limit of a state in all states.
local function count(bucket, own, amount)
  local longest = 0
  for _, state in ipairs(bucket.states) do
    longest = max(longest, state.length)
  end
  for _, state in ipairs(bucket.states) do
    if state == own then
      state.current = state.current + amount
    else
      -- Windows that end together don't grant anything twice.
      local capacity = state.length == own.length and state.capacity or maxCount(state, longest)
      state.current = min(state.current + amount, max(state.current, capacity))
    end
  end
  bucket.changed = true
end

function window.take(claim, times)
  count(claim.bucket, claim.state, claim.cost * times)
end

-- Raises the counts to what a node that decided without Redis has granted. Each of the grants is the sum
-- for the window that starts at its time. Counts that are already larger stay.
function window.raiseDebt(claim, grants)
  local bucket, state = claim.bucket, claim.state
  for _, grant in ipairs(grants) do
    local windowsAgo = floor(now / state.length) + state.ahead - floor(grant.time / state.length)
    local amount = min(grant.amount, state.capacity)
    if windowsAgo == 0 and amount > state.current then
      count(bucket, state, amount - state.current)
    elseif windowsAgo == 1 and state.kind == COUNTER and amount > state.previous then
      state.previous, bucket.changed = amount, true
    end
  end
end

function window.reset(claim)
  claim.bucket.states = {}
  claim.bucket.changed = true
end

function window.reply(claim, replies, denied)
  local state = claim.state
  local n = #replies
  replies[n + 1] = claim.before
  replies[n + 2] = denied and claim.delay >= 0 and window.waitFor(claim) or 0
  replies[n + 3] = toEndOf(state) + (state.kind == COUNTER and state.length or 0)
  replies[n + 4] = claim.resetBefore
end

local function hasPriorityInWindows(one, other)
  if one.inCall ~= other.inCall then
    return one.inCall == true
  end
  return window.resetAfter(one) > window.resetAfter(other)
end

function window.save(key, bucket)
  local fields, longest = {}, 0
  table.sort(bucket.states, hasPriorityInWindows)
  for i = 1, min(#bucket.states, MAX_STATES) do
    local state = bucket.states[i]
    if not state.old then
      -- Keep empty states next to others, to count the grants of these.
      longest = max(longest, window.resetAfter(state))
      if state.known and state.kind == FIXED then
        -- An empty window has begun, so the one before it stays expired if the clock steps back.
        longest = max(longest, toEndOf(state))
      end
      local n = #fields
      fields[n + 1], fields[n + 2], fields[n + 3] = state.kind, state.length, state.capacity
      fields[n + 4] = state.current
      fields[n + 5] = state.kind == FIXED and state.ahead or state.previous
    end
  end
  if longest == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, cmsgpack.pack(WINDOWS_MARK, now, unpack(fields)),
      'PX', ceil(longest / 1000))
  end
end
