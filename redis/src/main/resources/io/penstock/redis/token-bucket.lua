-- Token buckets. A form is a bucket under one limit: ticks and rest, the debt, where less than 0 ticks
-- is a full bucket; units a tick and a thousandth, and burst, which identify the limit; reach, the
-- longest delay in ticks promised on it; and past, which is 1 if another limit has replaced it.
-- All forms of a bucket are charged for what any of them grants, so that each limit sees everything
-- that passed, but none is in debt beyond its burst for what it did not grant itself. Forms of the
-- past are kept and charged as well, because other nodes may still go by their limits.
--
-- What is out on lease counts as missing until it comes back or the lease ends: no form owes less
-- than that.

-- The marks of values that hold instants instead of the time at which they were written, as earlier
-- versions wrote them; with leases the second.
local OLD_MARK, OLD_LEASED = 't', 'h'

local MAX_UNITS = 2^49
local MAX_TICKS = 2^52

-- Thousandths as a debt under a limit.
local function owedFor(thousandths, limit)
  return divide(thousandths, limit.perThousandth, limit.perTick)
end

-- A debt as whole thousandths, rounded down, and what is left of it in units.
local function thousandthsOf(ticks, rest, limit)
  local whole, left = divide(ticks, limit.perTick, limit.perThousandth)
  local more = left + rest
  left = fmod(more, limit.perThousandth)
  return whole + (more - left) / limit.perThousandth, left
end

local function withBurst(limit)
  limit.burstTicks, limit.burstRest = owedFor(limit.burst, limit)
  return limit
end

local function debtOf(form, reach)
  if form.ticks < 0 then
    return 0, 0
  end
  local longest = form.burstTicks + max(reach, form.reach)
  if isMore(form.ticks, form.rest, longest, form.burstRest) then
    return longest, form.burstRest, true
  end
  return form.ticks, form.rest
end

local function owe(form, ticks, rest)
  form.ticks, form.rest = ticks, rest
  if ticks >= form.burstTicks then
    local over = ticks - form.burstTicks + (rest > form.burstRest and 1 or 0)
    form.reach = max(form.reach, over)
  end
end

local leases = {}

local function isOf(form, limit)
  return form.perTick == limit.perTick
    and form.perThousandth == limit.perThousandth
    and form.burst == limit.burst
end

local function isForm(form)
  return isWhole(form.ticks, -MAX_TICKS) and isWhole(form.rest, 0) and isWhole(form.perTick, 1)
    and isWhole(form.perThousandth, 1) and isWhole(form.burst, 1) and isWhole(form.reach, 0)
    and (form.past == 0 or form.past == 1)
    and form.rest < form.perTick and form.perTick <= MAX_UNITS and form.perThousandth <= MAX_UNITS
    and withBurst(form).burstTicks + form.reach < MAX_TICKS
end

-- What is kept: a mark, by which text is told from our values; the time at which it was written;
-- leases if the mark says so; and seven numbers for each form.
local function parse(value)
  local fields = { cmsgpack.unpack(value) }
  local mark, written, first = fields[1], fields[2], 3
  local old = mark == OLD_MARK or mark == OLD_LEASED
  if old then
    written, first = 0, 2
  elseif not isWhole(written, 0) then
    error('not written')
  end
  local bucket = { forms = {}, out = 0, leases = {} }
  -- Of an old value, the time at which it was written is unknown, and instants count from 0.
  bucket.stepped = written > now
  local elapsed = max(0, now - written)
  if mark == LEASED or mark == OLD_LEASED then
    bucket.leases, first = leases.parse(fields, first, elapsed)
  elseif mark ~= MARK and mark ~= OLD_MARK then
    error('not a bucket')
  end
  local count = (#fields - first + 1) / 7
  if count < 1 or count > MAX_FORMS or count ~= floor(count) then
    error('not forms')
  end
  for i = first, #fields, 7 do
    if not isWhole(fields[i], 0) then
      error('not a debt')
    end
    local form = {
      ticks = fields[i] - elapsed, rest = fields[i + 1], perTick = fields[i + 2],
      perThousandth = fields[i + 3], burst = fields[i + 4], reach = fields[i + 5],
      past = fields[i + 6],
    }
    if old and isWhole(form.perThousandth, 1) and isWhole(form.burst, 1) then
      -- Kept in units then.
      form.burst = form.burst / form.perThousandth
    end
    if not isForm(form) then
      error('not a form')
    end
    bucket.forms[#bucket.forms + 1] = form
  end
  return bucket
end

-- The least that a form owes while so many thousandths are out on lease.
local function leastOf(form, thousandths)
  if thousandths >= form.burst then
    return form.burstTicks, form.burstRest
  end
  return owedFor(thousandths, form)
end

local function isReplaced(form, limit)
  for _, old in ipairs(limit.replaced) do
    if isOf(form, old) then
      return true
    end
  end
  return false
end

-- A debt under one limit as one under another: the same missing tokens, rounded up.
local function carried(ticks, rest, from, to)
  local whole, left = thousandthsOf(ticks, rest, from)
  local owedTicks, owedRest = owedFor(whole, to)
  local moreRest = divideUp(left, to.perThousandth, from.perThousandth)
  return plus(to.perTick, owedTicks, owedRest, 0, moreRest)
end

-- The bucket's form under a limit: its own, or what is missing under the others carried over. A
-- preview finds it too, but leaves no trace of it; except that a limit which replaces another does so
-- at first sight.
local function formUnder(bucket, limit, writes)
  local ticks, rest = 0, 0
  if bucket.foreign then
    ticks, rest = limit.burstTicks, limit.burstRest
  end
  local own, replaces
  for _, form in ipairs(bucket.forms) do
    if isOf(form, limit) then
      own = form
    elseif form.past == 0 then
      local owedTicks, owedRest, clamped = debtOf(form, 0)
      if clamped then
        owe(form, owedTicks, owedRest)
      end
      ticks, rest = larger(ticks, rest, carried(owedTicks, owedRest, form, limit))
      if isReplaced(form, limit) then
        form.past = 1
        replaces = true
      end
    end
  end
  if not own then
    own = {
      perTick = limit.perTick, perThousandth = limit.perThousandth, burst = limit.burst,
      burstTicks = limit.burstTicks, burstRest = limit.burstRest,
    }
    bucket.forms[#bucket.forms + 1] = own
    replaces = replaces or bucket.foreign
  elseif own.past == 0 or not replaces then
    own.asked = true
    if own.past == 1 then
      own.past = 0
      bucket.pending = true
    end
    bucket.changed = bucket.changed or writes and bucket.pending
    return own
  end
  ticks, rest = smaller(ticks, rest, limit.burstTicks, limit.burstRest)
  ticks, rest = larger(ticks, rest, leastOf(limit, bucket.out))
  own.asked, own.reach, own.past, own.unused = true, 0, 0, ticks == 0 and rest == 0
  owe(own, ticks, rest)
  bucket.foreign = false
  bucket.pending = bucket.pending or not own.unused
  bucket.changed = bucket.changed or replaces or writes and bucket.pending
  return own
end

-- Sets the debt of a form, and moves that of all others by an amount of thousandths.
local function move(bucket, own, ticks, rest, thousandths)
  for _, form in ipairs(bucket.forms) do
    form.unused = false
    local toTicks, toRest = ticks, rest
    if form ~= own then
      local perTick = form.perTick
      local oldTicks, oldRest = debtOf(form, 0)
      if thousandths < 0 then
        toTicks, toRest = minus(perTick, oldTicks, oldRest, owedFor(-thousandths, form))
      else
        toTicks, toRest = plus(perTick, oldTicks, oldRest, owedFor(thousandths, form))
        toTicks, toRest = smaller(toTicks, toRest,
          larger(oldTicks, oldRest, form.burstTicks, form.burstRest))
      end
    end
    owe(form, larger(toTicks, toRest, leastOf(form, bucket.out)))
  end
  bucket.changed = true
end

local tokenBucket = {}

function tokenBucket.load(value)
  if not value then
    return { forms = {}, leases = {}, out = 0 }
  end
  local fine, bucket = pcall(parse, value)
  if fine then
    leases.settle(bucket)
    return bucket
  end
  repaired = repaired + 1
  return { forms = {}, leases = {}, out = 0, foreign = true, changed = true }
end

-- Finds the form of a claim; returns how many times its cost fits, up to so many.
function tokenBucket.judge(claim, times)
  local bucket, limit = claim.bucket, claim.limit
  local form = formUnder(bucket, limit, claim.writes)
  local ticks, rest, clamped = debtOf(form, limit.reach)
  claim.form, claim.ticks, claim.rest = form, ticks, rest
  if claim.writes and (clamped or bucket.stepped) then
    owe(form, ticks, rest)
    bucket.changed = true
  end
  local cost, perTick = claim.cost, limit.perTick
  claim.costTicks, claim.costRest = owedFor(cost, limit)
  local longest = limit.burstTicks + claim.delay
  if claim.delay < 0 or isMore(ticks, rest, longest, limit.burstRest) then
    return 0
  elseif cost == 0 then
    return times
  end
  local roomTicks, roomRest = minus(perTick, longest, limit.burstRest, ticks, rest)
  local room, one = roomTicks + roomRest / perTick, claim.costTicks + claim.costRest / perTick
  -- May be too much by one; exact from here.
  local granted = min(times, floor(room / one) + 1)
  while granted > 0 do
    local needed, over = plus(perTick, granted * claim.costTicks, 0, 0, granted * claim.costRest)
    if not isMore(needed, over, roomTicks, roomRest) then
      break
    end
    granted = granted - 1
  end
  return granted
end

function tokenBucket.take(claim, times)
  local ticks, rest = plus(claim.limit.perTick, claim.ticks, claim.rest,
    times * claim.costTicks, times * claim.costRest)
  move(claim.bucket, claim.form, ticks, rest, times * claim.cost)
end

-- As far as one burst below empty, or where it is already.
function tokenBucket.charge(claim)
  local limit, perTick = claim.limit, claim.limit.perTick
  local mostTicks, mostRest = plus(perTick, limit.burstTicks, limit.burstRest,
    limit.burstTicks, limit.burstRest)
  local ticks, rest = plus(perTick, claim.ticks, claim.rest, claim.costTicks, claim.costRest)
  ticks, rest = smaller(ticks, rest, mostTicks, mostRest)
  ticks, rest = larger(ticks, rest, claim.ticks, claim.rest)
  move(claim.bucket, claim.form, ticks, rest, claim.cost)
end

function tokenBucket.refund(claim)
  local ticks, rest = minus(claim.limit.perTick, claim.ticks, claim.rest,
    claim.costTicks, claim.costRest)
  move(claim.bucket, claim.form, ticks, rest, -claim.cost)
end

-- Refunds a cost to a bucket that would rather not have been charged, but no more than the bucket
-- would have now without that charge: had it been full since, time would have brought it nothing.
-- Since the charge the debt was never less than what time alone would have left of it.
function tokenBucket.giveBack(claim, charged)
  local elapsed = max(0, now - charged.time)
  if elapsed > charged.ticks then
    return
  end
  local own, bucket = claim.form, claim.bucket
  for _, form in ipairs(bucket.forms) do
    local ticks, rest = debtOf(form, form == own and claim.limit.reach or 0)
    local backTicks, backRest = owedFor(claim.cost, form)
    -- Of another limit, only its part of the debt is known.
    local leftTicks, leftRest = backTicks - elapsed, backRest
    if form == own then
      leftTicks, leftRest = charged.ticks - elapsed, charged.rest
    end
    if leftTicks < 0 then
      leftTicks, leftRest = 0, 0
    end
    backTicks, backRest = smaller(backTicks, backRest, leftTicks, leftRest)
    ticks, rest = minus(form.perTick, ticks, rest, backTicks, backRest)
    owe(form, larger(ticks, rest, leastOf(form, bucket.out)))
  end
  bucket.changed = true
end

-- What is out is out, and stays missing.
function tokenBucket.reset(claim)
  local bucket = claim.bucket
  bucket.forms = bucket.out > 0 and { claim.form } or {}
  if bucket.out > 0 then
    claim.form.past, claim.form.reach, claim.form.unused = 0, 0, false
    owe(claim.form, leastOf(claim.form, bucket.out))
  end
  bucket.changed = true
end

function tokenBucket.reply(claim, replies)
  local n = #replies
  replies[n + 1], replies[n + 2] = claim.ticks, claim.rest
end

-- Those in effect come first, of these the ones just asked under, then those that are full last: a
-- limit dropped by its own call would never see what it grants.
local function isKeptRather(one, other)
  if one.past ~= other.past then
    return one.past < other.past
  end
  if one.asked ~= other.asked then
    return one.asked == true
  end
  return one.ticks > other.ticks
end

function tokenBucket.save(key, bucket)
  local fields, longest = { now }, 0
  local mark = #bucket.leases > 0 and LEASED or MARK
  if mark == LEASED then
    longest = leases.save(bucket, fields)
  end
  table.sort(bucket.forms, isKeptRather)
  for i = 1, min(#bucket.forms, MAX_FORMS) do
    local form = bucket.forms[i]
    if not form.unused then
      local ticks, rest = form.ticks, form.rest
      if ticks >= 0 then
        longest = max(longest, ticks + 1)
      else
        -- Kept beside others, or it would begin anew with what is missing under these.
        ticks, rest = 0, 0
      end
      local n = #fields
      fields[n + 1], fields[n + 2], fields[n + 3] = ticks, rest, form.perTick
      fields[n + 4], fields[n + 5], fields[n + 6] = form.perThousandth, form.burst, form.reach
      fields[n + 7] = form.past
    end
  end
  if longest == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, cmsgpack.pack(mark, unpack(fields)), 'PX', ceil(longest / 1000))
  end
end
