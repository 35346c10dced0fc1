-- Token buckets. A bucket has a state for each limit that it is used under:
--   ticks, rest      the debt; negative ticks mean a full bucket
--   perTick, perThousandth, burst
--                    the limit: units per tick, units per thousandth, and the burst in thousandths
--   reach            the longest delay in ticks that was granted
--   retired          1 if another limit has replaced this one, else 0
--
-- The debt is computed from the time of the last write (see parse), so a bucket refills without writes.
--
-- A grant under any limit is charged to all states, so that each limit accounts for everything that
-- passed, but grants of other limits never take a debt beyond the burst. Retired states are kept and
-- charged as well, because other nodes may still use their limits.
--
-- Leased tokens count as missing until they are returned or the lease expires: they are a lower bound
-- of the debt of every state.

-- The type marks of values that earlier versions wrote, without and with leases. The keys of the first
-- two expire earlier than those of new values; the others also have absolute times.
local EARLY_MARK, EARLY_LEASED, OLD_MARK, OLD_LEASED = 'T', 'H', 't', 'h'

local MAX_UNITS = 2^49
local MAX_TICKS = 2^52

-- Converts thousandths to a debt under a limit.
local function debtFor(thousandths, limit)
  return divide(thousandths, limit.perThousandth, limit.perTick)
end

-- Converts a debt to whole thousandths, rounded down, and a remainder in units.
local function thousandthsOf(ticks, rest, limit)
  local whole, left = divide(ticks, limit.perTick, limit.perThousandth)
  local more = left + rest
  left = fmod(more, limit.perThousandth)
  return whole + (more - left) / limit.perThousandth, left
end

local function withBurst(limit)
  limit.burstTicks, limit.burstRest = debtFor(limit.burst, limit)
  return limit
end

local function debtOf(state, reach)
  if state.ticks < 0 then
    return 0, 0
  end
  local maxTicks = state.burstTicks + max(reach, state.reach)
  if isGreater(state.ticks, state.rest, maxTicks, state.burstRest) then
    return maxTicks, state.burstRest, true
  end
  return state.ticks, state.rest
end

local function setDebt(state, ticks, rest)
  state.ticks, state.rest = ticks, rest
  if ticks >= state.burstTicks then
    local over = ticks - state.burstTicks + (rest > state.burstRest and 1 or 0)
    state.reach = max(state.reach, over)
  end
end

local leases = {}

local function isOf(state, limit)
  return state.perTick == limit.perTick
    and state.perThousandth == limit.perThousandth
    and state.burst == limit.burst
end

local function isState(state)
  return isWhole(state.ticks, -MAX_TICKS) and isWhole(state.rest, 0) and isWhole(state.perTick, 1)
    and isWhole(state.perThousandth, 1) and isWhole(state.burst, 1) and isWhole(state.reach, 0)
    and (state.retired == 0 or state.retired == 1)
    and state.rest < state.perTick and state.perTick <= MAX_UNITS and state.perThousandth <= MAX_UNITS
    and withBurst(state).burstTicks + state.reach < MAX_TICKS
end

-- Parses a value: a type mark, which also distinguishes it from text; the time at which it was
-- written; leases if the mark indicates them; and seven numbers for each state.
local function parse(value)
  local fields = { cmsgpack.unpack(value) }
  local mark, written, first = fields[1], fields[2], 3
  local old = mark == OLD_MARK or mark == OLD_LEASED
  if old then
    written, first = 0, 2
  elseif not isWhole(written, 0) then
    error('not written')
  end
  local bucket = { states = {}, leased = 0, leases = {} }
  -- For an old value, the time of the write is unknown, and times are absolute.
  bucket.stepped = written > now
  local elapsed = max(0, now - written)
  if mark == LEASED or mark == EARLY_LEASED or mark == OLD_LEASED then
    bucket.leases, first = leases.parse(fields, first, elapsed)
  elseif mark ~= MARK and mark ~= EARLY_MARK and mark ~= OLD_MARK then
    error('not a bucket')
  end
  local count = (#fields - first + 1) / 7
  if count < 1 or count > MAX_STATES or count ~= floor(count) then
    error('not states')
  end
  for i = first, #fields, 7 do
    if not isWhole(fields[i], 0) then
      error('not a debt')
    end
    local state = {
      ticks = fields[i] - elapsed, rest = fields[i + 1], perTick = fields[i + 2],
      perThousandth = fields[i + 3], burst = fields[i + 4], reach = fields[i + 5],
      retired = fields[i + 6],
    }
    if old and isWhole(state.perThousandth, 1) and isWhole(state.burst, 1) then
      -- Old values have the burst in units.
      state.burst = state.burst / state.perThousandth
    end
    if not isState(state) then
      error('not a state')
    end
    bucket.states[#bucket.states + 1] = state
  end
  return bucket
end

-- The lower bound of the debt of a state while the given thousandths are leased.
local function minDebtOf(state, thousandths)
  if thousandths >= state.burst then
    return state.burstTicks, state.burstRest
  end
  return debtFor(thousandths, state)
end

local function isReplaced(state, limit)
  for _, old in ipairs(limit.replaced) do
    if isOf(state, old) then
      return true
    end
  end
  return false
end

-- Converts a debt from one limit to another: the same missing tokens, rounded up.
local function carried(ticks, rest, from, to)
  local whole, left = thousandthsOf(ticks, rest, from)
  local owedTicks, owedRest = debtFor(whole, to)
  local moreRest = divideUp(left, to.perThousandth, from.perThousandth)
  return plus(to.perTick, owedTicks, owedRest, 0, moreRest)
end

-- Returns the state of a bucket for a limit. If there is none, creates one with the missing tokens
-- of the others. A peek sees the same state but doesn't store it, except that a limit which
-- replaces another one does so immediately.
local function stateUnder(bucket, limit, writes)
  local ticks, rest = 0, 0
  if bucket.foreign then
    ticks, rest = limit.burstTicks, limit.burstRest
  end
  local own, replaces
  for _, state in ipairs(bucket.states) do
    if isOf(state, limit) then
      own = state
    elseif state.retired == 0 then
      local owedTicks, owedRest, clamped = debtOf(state, 0)
      if clamped then
        setDebt(state, owedTicks, owedRest)
      end
      ticks, rest = larger(ticks, rest, carried(owedTicks, owedRest, state, limit))
      if isReplaced(state, limit) then
        state.retired = 1
        replaces = true
      end
    end
  end
  if not own then
    own = {
      perTick = limit.perTick, perThousandth = limit.perThousandth, burst = limit.burst,
      burstTicks = limit.burstTicks, burstRest = limit.burstRest,
    }
    bucket.states[#bucket.states + 1] = own
    replaces = replaces or bucket.foreign
  elseif own.retired == 0 or not replaces then
    own.inCall = true
    if own.retired == 1 then
      own.retired = 0
      bucket.pending = true
    end
    bucket.changed = bucket.changed or writes and bucket.pending
    return own
  end
  ticks, rest = smaller(ticks, rest, limit.burstTicks, limit.burstRest)
  ticks, rest = larger(ticks, rest, minDebtOf(limit, bucket.leased))
  own.inCall, own.reach, own.retired, own.unused = true, 0, 0, ticks == 0 and rest == 0
  setDebt(own, ticks, rest)
  bucket.foreign = false
  bucket.pending = bucket.pending or not own.unused
  bucket.changed = bucket.changed or replaces or writes and bucket.pending
  return own
end

-- Sets the debt of one state, and changes the debts of all others by an amount of thousandths.
local function move(bucket, own, ticks, rest, thousandths)
  for _, state in ipairs(bucket.states) do
    state.unused = false
    local toTicks, toRest = ticks, rest
    if state ~= own then
      local perTick = state.perTick
      local oldTicks, oldRest = debtOf(state, 0)
      if thousandths < 0 then
        toTicks, toRest = minus(perTick, oldTicks, oldRest, debtFor(-thousandths, state))
      else
        toTicks, toRest = plus(perTick, oldTicks, oldRest, debtFor(thousandths, state))
        toTicks, toRest = smaller(toTicks, toRest,
          larger(oldTicks, oldRest, state.burstTicks, state.burstRest))
      end
    end
    setDebt(state, larger(toTicks, toRest, minDebtOf(state, bucket.leased)))
  end
  bucket.changed = true
end

local tokenBucket = {}

function tokenBucket.load(value)
  if not value then
    return { states = {}, leases = {}, leased = 0 }
  end
  local ok, bucket = pcall(parse, value)
  if ok then
    leases.advance(bucket)
    return bucket
  end
  repaired = repaired + 1
  return { states = {}, leases = {}, leased = 0, foreign = true, changed = true }
end

-- Looks up the state for a claim; returns how many times its cost fits, up to the given number of
-- times.
function tokenBucket.evaluate(claim, times)
  local bucket, limit = claim.bucket, claim.limit
  local state = stateUnder(bucket, limit, claim.writes)
  local ticks, rest, clamped = debtOf(state, limit.reach)
  claim.state, claim.ticks, claim.rest = state, ticks, rest
  if claim.writes and (clamped or bucket.stepped) then
    setDebt(state, ticks, rest)
    bucket.changed = true
  end
  local cost, perTick = claim.cost, limit.perTick
  claim.costTicks, claim.costRest = debtFor(cost, limit)
  local maxTicks = limit.burstTicks + claim.delay
  if claim.delay < 0 or isGreater(ticks, rest, maxTicks, limit.burstRest) then
    return 0
  elseif cost == 0 then
    return times
  end
  local roomTicks, roomRest = minus(perTick, maxTicks, limit.burstRest, ticks, rest)
  local room, one = roomTicks + roomRest / perTick, claim.costTicks + claim.costRest / perTick
  -- The estimate may be too large by one; the loop is exact.
  local granted = min(times, floor(room / one) + 1)
  while granted > 0 do
    local needed, over = plus(perTick, granted * claim.costTicks, 0, 0, granted * claim.costRest)
    if not isGreater(needed, over, roomTicks, roomRest) then
      break
    end
    granted = granted - 1
  end
  return granted
end

function tokenBucket.take(claim, times)
  local ticks, rest = plus(claim.limit.perTick, claim.ticks, claim.rest,
    times * claim.costTicks, times * claim.costRest)
  move(claim.bucket, claim.state, ticks, rest, times * claim.cost)
end

-- Charges at most to one burst below empty, or leaves the debt as it is if it is already larger.
function tokenBucket.charge(claim)
  local limit, perTick = claim.limit, claim.limit.perTick
  local maxTicks, maxRest = plus(perTick, limit.burstTicks, limit.burstRest,
    limit.burstTicks, limit.burstRest)
  local ticks, rest = plus(perTick, claim.ticks, claim.rest, claim.costTicks, claim.costRest)
  ticks, rest = smaller(ticks, rest, maxTicks, maxRest)
  ticks, rest = larger(ticks, rest, claim.ticks, claim.rest)
  move(claim.bucket, claim.state, ticks, rest, claim.cost)
end

function tokenBucket.refund(claim)
  local ticks, rest = minus(claim.limit.perTick, claim.ticks, claim.rest,
    claim.costTicks, claim.costRest)
  move(claim.bucket, claim.state, ticks, rest, -claim.cost)
end

-- Refunds a charge, but only up to the level that the bucket would have now without that charge: if
-- it had become full in the meantime, it would have gained nothing more. Since the charge, the debt was
-- never less than what refill alone would have left of it.
function tokenBucket.giveBack(claim, charged)
  local elapsed = max(0, now - charged.time)
  if elapsed > charged.ticks then
    return
  end
  local own, bucket = claim.state, claim.bucket
  for _, state in ipairs(bucket.states) do
    local ticks, rest = debtOf(state, state == own and claim.limit.reach or 0)
    local backTicks, backRest = debtFor(claim.cost, state)
    -- For another limit, only the part of the charge in its debt is known.
    local leftTicks, leftRest = backTicks - elapsed, backRest
    if state == own then
      leftTicks, leftRest = charged.ticks - elapsed, charged.rest
    end
    if leftTicks < 0 then
      leftTicks, leftRest = 0, 0
    end
    backTicks, backRest = smaller(backTicks, backRest, leftTicks, leftRest)
    ticks, rest = minus(state.perTick, ticks, rest, backTicks, backRest)
    setDebt(state, larger(ticks, rest, minDebtOf(state, bucket.leased)))
  end
  bucket.changed = true
end

-- Raises the debt to that of a node that has decided without Redis. The cost of the claim is the number
-- of tokens that were missing at the node at the given time. A debt that is already larger stays.
function tokenBucket.raiseDebt(claim, time)
  local elapsed = time > 0 and max(0, now - time) or 0
  local ticks, rest = claim.costTicks - elapsed, claim.costRest
  if ticks < 0 or not isGreater(ticks, rest, claim.ticks, claim.rest) then
    return
  end
  local moreTicks, moreRest = minus(claim.limit.perTick, ticks, rest, claim.ticks, claim.rest)
  local more = thousandthsOf(moreTicks, moreRest, claim.limit)
  move(claim.bucket, claim.state, ticks, rest, more)
end

-- Leased tokens stay missing.
function tokenBucket.reset(claim)
  local bucket = claim.bucket
  bucket.states = bucket.leased > 0 and { claim.state } or {}
  if bucket.leased > 0 then
    claim.state.retired, claim.state.reach, claim.state.unused = 0, 0, false
    setDebt(claim.state, minDebtOf(claim.state, bucket.leased))
  end
  bucket.changed = true
end

function tokenBucket.reply(claim, replies)
  local n = #replies
  replies[n + 1], replies[n + 2] = claim.ticks, claim.rest
end

-- Sort order for saving: active states first, of these the ones that were just used, then those
-- with the largest debt. If a call dropped the state of its own limit, that limit would never account
-- for its grants.
local function hasPriority(one, other)
  if one.retired ~= other.retired then
    return one.retired < other.retired
  end
  if one.inCall ~= other.inCall then
    return one.inCall == true
  end
  return one.ticks > other.ticks
end

function tokenBucket.save(key, bucket)
  local fields, maxTicks = { now }, 0
  local mark = #bucket.leases > 0 and LEASED or MARK
  if mark == LEASED then
    maxTicks = leases.save(bucket, fields)
  end
  table.sort(bucket.states, hasPriority)
  for i = 1, min(#bucket.states, MAX_STATES) do
    local state = bucket.states[i]
    if not state.unused then
      local ticks, rest = state.ticks, state.rest
      if ticks >= 0 then
        maxTicks = max(maxTicks, ticks + 1)
      else
        -- Keep a full state next to others. Otherwise it would start with their missing tokens
        -- again.
        ticks, rest = 0, 0
      end
      local n = #fields
      fields[n + 1], fields[n + 2], fields[n + 3] = ticks, rest, state.perTick
      fields[n + 4], fields[n + 5], fields[n + 6] = state.perThousandth, state.burst, state.reach
      fields[n + 7] = state.retired
    end
  end
  if maxTicks == 0 then
    redis.call('DEL', key)
  else
    local expiry = now + maxTicks
    expiry = expiry - expiry % EXPIRY_STEP
    redis.call('SET', key, cmsgpack.pack(mark, unpack(fields)),
      'PX', ceil((expiry + 2 * EXPIRY_STEP - now) / 1000))
  end
end
