-- Token buckets. A form is a bucket under one limit: fullAt ticks and remainder units (less than a
-- tick) until it is full; units a tick and a thousandth, and burst, which tell the limit; reach, the
-- longest delay in ticks promised on it; and past, which is 1 if somebody has another limit instead.
-- All forms of a bucket are charged for what any of them grants, so that each limit sees everything
-- that passed, but none is in debt beyond its burst for what it did not grant itself. Forms of the
-- past are kept and charged as well, because other nodes may still go by their limits.
--
-- What is out on lease counts as missing until it comes back or the lease ends: no form owes less
-- than that.

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

local leases = {}

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

-- What is kept: a mark, by which text is told from our values, leases if the mark says so, and seven
-- numbers for each form.
local function parse(value)
  local fields = { cmsgpack.unpack(value) }
  local out, first = {}, 2
  if fields[1] == LEASED then
    out, first = leases.parse(fields, first)
  end
  local count = (#fields - first + 1) / 7
  if (fields[1] ~= MARK and fields[1] ~= LEASED)
    or count < 1 or count > MOST_FORMS or count ~= floor(count) then
    error('not forms')
  end
  local forms = {}
  for i = first, #fields, 7 do
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
  return { forms = forms, leases = out, out = 0 }
end

-- The least that a form owes while so many thousandths are out on lease.
local function leastOf(form, thousandths)
  return min(form.burst, thousandths * form.perThousandth)
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
    own.asked = true
    if own.past == 1 then
      own.past = 0
      bucket.pending = true
    end
    bucket.changed = bucket.changed or writes and bucket.pending
    return own
  end
  local debt = max(min(carried, limit.burst), leastOf(limit, bucket.out))
  own.asked, own.reach, own.past, own.unused = true, 0, 0, debt == 0
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
    local least = leastOf(form, bucket.out)
    if form == own then
      owe(form, max(least, debt))
    else
      local before = debtOf(form, 0)
      local after = before + thousandths * form.perThousandth
      owe(form, max(least, min(after, max(before, form.burst))))
    end
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
  replies[#replies + 1] = claim.before
end

-- Those in force come first, of these the ones just asked under, then those that are full last: a
-- limit dropped by its own call would never see what it grants.
local function isKeptRather(one, other)
  if one.past ~= other.past then
    return one.past < other.past
  end
  if one.asked ~= other.asked then
    return one.asked == true
  end
  return one.fullAt > other.fullAt
end

function tokenBucket.save(key, bucket)
  local fields, longest = {}, 0
  local mark = #bucket.leases > 0 and LEASED or MARK
  if mark == LEASED then
    longest = leases.save(bucket, fields)
  end
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
    redis.call('SET', key, cmsgpack.pack(mark, unpack(fields)), 'PX', ceil(longest / 1000))
  end
end
