-- Windows that count. A form is the count under one limit: kind, length and most, which identify the
-- limit; current, what was counted in the aligned window around now; and previous, in the one before.
-- All forms are charged for what any of them grants, so that each limit sees everything that passed.
--
-- When the clock steps back behind the start of a fixed window, the window stays open: ahead is 1 while
-- current counts in the window after the one around now. A window never ends earlier than it would have
-- without the step, so a clock that goes back and forth over an edge does not empty it again and again.
-- It ends at most one length later.
--
-- A window holds no more than its limit. What other limits granted beyond that counts in the windows
-- that follow: otherwise, where windows of different lengths end one after the other, each would
-- grant its whole limit once more.

local MARK_OF_WINDOWS = 'W'

local window = {}

local function share(form, at)
  return divideUp(form.previous, form.length - fmod(at, form.length), form.length)
end

-- What counts against the limit now.
local function usedOf(form)
  return form.kind == FIXED and form.current or form.current + share(form, now)
end

-- Ticks to the end of the window that a form counts in.
local function toEndOf(form)
  return (1 + form.ahead) * form.length - fmod(now, form.length)
end

-- Brings a form that was last written at an earlier time to the present.
local function roll(form, ended)
  form.ahead = max(0, -ended)
  if ended > 0 then
    local left = max(0, form.current - (ended - 1) * form.most)
    form.previous = form.kind == COUNTER and min(left, form.most) or 0
    form.current = max(0, left - form.most)
  end
end

local function windowsSince(form, written)
  return floor(now / form.length) - floor(written / form.length) - form.ahead
end

-- Brings a form that was written at a later time to the present: its level is what it was then.
local function stepBack(form, written)
  if form.kind == COUNTER then
    -- The share of the previous count counts here.
    form.current, form.previous = form.current + share(form, written), 0
  else
    -- The window moves by as many lengths as fit into the step.
    local length = form.length
    local moved = floor(written / length) + form.ahead - floor((written - now) / length)
    form.ahead = min(1, moved - floor(now / length))
  end
end

-- Above the limit, a form counts what it takes the longest window to let go of.
local function highest(form, longest)
  return form.most * (1 + ceil(longest / form.length))
end

local function isCount(form)
  return (form.kind == FIXED or form.kind == COUNTER) and isWhole(form.length, 1)
    and isWhole(form.most, 1) and isWhole(form.current, 0) and isWhole(form.previous, 0)
end

-- What earlier versions kept: one count with the number of its window, and no limit.
local function parseOld(kind, length, index, current, previous)
  local form = {
    kind = kind, length = length, most = 1, current = current, previous = previous, old = true,
    ahead = 0,
  }
  if not isCount(form) or not isWhole(index, 0) then
    error('not a window')
  end
  form.most = max(1, current, previous)
  local ended = floor(now / length) - index
  if ended < 0 and kind == COUNTER then
    form.current, form.previous = current + previous, 0
  end
  roll(form, max(0, ended))
  return { forms = { form }, stepped = ended < 0, rolled = ended > 0 }
end

-- What is kept: a mark, the time at which it was written, and five numbers for each form. The last
-- of them is previous, or ahead for a fixed window, which has no use for previous.
local function parseWindows(value)
  local fields = { cmsgpack.unpack(value) }
  if fields[1] ~= MARK_OF_WINDOWS then
    if #fields ~= 5 then
      error('not a window')
    end
    return parseOld(unpack(fields))
  end
  local written, count = fields[2], (#fields - 2) / 5
  if not isWhole(written, 0) or count < 1 or count > MAX_FORMS or count ~= floor(count) then
    error('not windows')
  end
  local bucket = { forms = {}, stepped = written > now }
  local longest = 1
  for i = 3, #fields, 5 do
    local form = {
      kind = fields[i], length = fields[i + 1], most = fields[i + 2], current = fields[i + 3],
      previous = fields[i + 4], ahead = 0, known = true,
    }
    if not isCount(form) then
      error('not a window')
    end
    if form.kind == FIXED then
      form.ahead, form.previous = min(1, form.previous), 0
    end
    longest = max(longest, form.length)
    bucket.forms[#bucket.forms + 1] = form
  end
  for _, form in ipairs(bucket.forms) do
    form.current = min(form.current, highest(form, longest))
    form.previous = min(form.previous, form.most)
    if bucket.stepped then
      stepBack(form, written)
    else
      local ended = windowsSince(form, written)
      roll(form, ended)
      bucket.rolled = bucket.rolled or ended > 0
    end
  end
  return bucket
end

function window.load(value)
  if not value then
    return { forms = {} }
  end
  local fine, bucket = pcall(parseWindows, value)
  if fine then
    return bucket
  end
  repaired = repaired + 1
  return { forms = {}, foreign = true }
end

-- The form under a limit: its own, or what counts under the others carried over, at most all of it.
local function countUnder(bucket, limit, writes)
  local carried, ahead = bucket.foreign and limit.most or 0, 0
  for _, form in ipairs(bucket.forms) do
    if form.kind == limit.kind and form.length == limit.length then
      if form.old then
        form.most, form.old = limit.most, nil
        form.current, form.previous = min(form.current, form.most), min(form.previous, form.most)
      end
      if form.most == limit.most then
        return form
      end
      ahead = max(ahead, form.ahead)
    end
    carried = max(carried, usedOf(form))
  end
  local own = {
    kind = limit.kind, length = limit.length, most = limit.most,
    current = min(carried, limit.most), previous = 0, ahead = ahead,
  }
  bucket.forms[#bucket.forms + 1] = own
  -- Even for a denial, so that the wait which it is told holds.
  bucket.changed = bucket.changed or writes and own.current > 0
  return own
end

-- Returns how many times a claim's cost fits, up to so many.
function window.judge(claim, times)
  local bucket, limit = claim.bucket, claim.limit
  local form = countUnder(bucket, limit, claim.writes)
  if bucket.foreign then
    bucket.foreign, bucket.changed = false, true
  end
  -- What is over is over, even if the clock should step back.
  bucket.changed = bucket.changed or bucket.rolled or claim.writes and bucket.stepped
  form.asked = true
  claim.form = form
  claim.before = usedOf(form)
  claim.resetBefore = window.resetAfter(form)
  local room = limit.most - claim.before
  if claim.delay < 0 or room < claim.cost then
    return 0
  end
  return claim.cost > 0 and min(times, floor(room / claim.cost)) or times
end

function window.resetAfter(form)
  local toEnd = toEndOf(form)
  if form.current > 0 then
    local windows = ceil(form.current / form.most) - (form.kind == FIXED and 1 or 0)
    return toEnd + windows * form.length
  end
  return form.kind == COUNTER and form.previous > 0 and toEnd or 0
end

function window.waitFor(claim)
  local form, most = claim.form, claim.limit.most
  local room = most - claim.cost
  if usedOf(form) <= room then
    return 0
  end
  local toEnd = toEndOf(form)
  if form.kind == COUNTER and form.current <= room then
    return toEnd - divide(form.length, room - form.current, form.previous)
  end
  -- In how many windows the count no longer exceeds the room.
  local ended = max(1, ceil((form.current - room) / most))
  local wait = toEnd + (ended - 1) * form.length
  if form.kind == COUNTER then
    local current = max(0, form.current - ended * most)
    local previous = min(most, form.current - (ended - 1) * most)
    wait = wait + form.length - min(form.length, (divide(form.length, room - current, previous)))
  end
  return wait
end

function window.take(claim, times)
  local bucket, own, amount = claim.bucket, claim.form, claim.cost * times
  local longest = 0
  for _, form in ipairs(bucket.forms) do
    longest = max(longest, form.length)
  end
  for _, form in ipairs(bucket.forms) do
    if form == own then
      form.current = form.current + amount
    else
      -- Windows that end together grant nothing twice.
      local most = form.length == own.length and form.most or highest(form, longest)
      form.current = min(form.current + amount, max(form.current, most))
    end
  end
  bucket.changed = true
end

function window.reset(claim)
  claim.bucket.forms = {}
  claim.bucket.changed = true
end

function window.reply(claim, replies, denied)
  local form = claim.form
  local n = #replies
  replies[n + 1] = claim.before
  replies[n + 2] = denied and claim.delay >= 0 and window.waitFor(claim) or 0
  replies[n + 3] = toEndOf(form) + (form.kind == COUNTER and form.length or 0)
  replies[n + 4] = claim.resetBefore
end

local function isCountKeptRather(one, other)
  if one.asked ~= other.asked then
    return one.asked == true
  end
  return window.resetAfter(one) > window.resetAfter(other)
end

function window.save(key, bucket)
  local fields, longest = {}, 0
  table.sort(bucket.forms, isCountKeptRather)
  for i = 1, min(#bucket.forms, MAX_FORMS) do
    local form = bucket.forms[i]
    if not form.old then
      -- Those that count nothing are kept beside others, to count what these grant.
      longest = max(longest, window.resetAfter(form))
      if form.known and form.kind == FIXED then
        -- An empty window has begun, so the one before it stays over if the clock steps back.
        longest = max(longest, toEndOf(form))
      end
      local n = #fields
      fields[n + 1], fields[n + 2], fields[n + 3] = form.kind, form.length, form.most
      fields[n + 4] = form.current
      fields[n + 5] = form.kind == FIXED and form.ahead or form.previous
    end
  end
  if longest == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, cmsgpack.pack(MARK_OF_WINDOWS, now, unpack(fields)),
      'PX', ceil(longest / 1000))
  end
end
