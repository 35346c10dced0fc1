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
