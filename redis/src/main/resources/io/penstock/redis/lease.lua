-- Leases: tokens of a bucket that a holder has taken in advance, in thousandths, with an expiry time.
-- They are charged to the bucket when they are taken. Until they are returned or the lease expires,
-- they are a lower bound of its debt, so that refill never replaces tokens that are still leased: the
-- level and all leased tokens together are at most the burst. When a lease expires, its tokens are
-- refilled like any others.
--
-- In each call, a holder reports everything that it still has. Its calls are numbered, so that a late
-- call is detected. It counts the length of its lease from before it sent the call, so that the lease
-- expires at the holder first.

-- Bounds the size of a value. Further nodes have to call for each token.
local MAX_HOLDERS = 64

-- A holder has at most 1/SHARE of the burst, and all holders together at most 1/TOGETHER.
local SHARE, TOGETHER = 8, 2

-- The maximum length of a lease. A longer one, in a value that contains absolute times, was caused
-- by a clock that stepped back.
local MAX_LEASE = 10000000

function leases.parse(fields, first, elapsed)
  local count = fields[first]
  if not isWhole(count, 1) or count > MAX_HOLDERS or #fields < first + 4 * count then
    error('not leases')
  end
  local out = {}
  for i = 1, count do
    local at = first + 4 * i - 3
    local lease = {
      holder = fields[at], number = fields[at + 1], amount = fields[at + 2], left = fields[at + 3],
    }
    if not isWhole(lease.holder, 0) or not isWhole(lease.number, 0) or not isWhole(lease.amount, 1)
      or not isWhole(lease.left, 0) then
      error('not a lease')
    end
    lease.left = lease.left - elapsed
    out[i] = lease
  end
  return out, first + 4 * count + 1
end

-- Updates a bucket to the current time: applies the lower bounds of debts that leases have caused
-- until now, or until they expired.
function leases.advance(bucket)
  table.sort(bucket.leases, function(one, other) return one.left < other.left end)
  local out = 0
  for i = #bucket.leases, 1, -1 do
    local lease = bucket.leases[i]
    if lease.left > MAX_LEASE then
      lease.left = MAX_LEASE
      bucket.pending = true
    end
    out = out + lease.amount
    local over = max(0, -lease.left)
    for _, state in ipairs(bucket.states) do
      local ticks, rest = minDebtOf(state, out)
      ticks = ticks - over
      if ticks >= 0 and isGreater(ticks, rest, debtOf(state, 0)) then
        setDebt(state, ticks, rest)
      end
    end
    if lease.left > 0 then
      bucket.leased = out
    else
      table.remove(bucket.leases, i)
    end
  end
end

local function find(bucket, holder)
  for i, lease in ipairs(bucket.leases) do
    if lease.holder == holder then
      return i, lease
    end
  end
end

-- The amount that a holder may take: the available amount, within its share, in multiples of the
-- granularity.
local function grantable(claim, call, kept)
  local limit, bucket = claim.limit, claim.bucket
  if #bucket.leases >= MAX_HOLDERS then
    return 0
  end
  local roomTicks, roomRest = minus(limit.perTick, limit.burstTicks, limit.burstRest,
    claim.ticks, claim.rest)
  local room = thousandthsOf(roomTicks, roomRest, limit)
  local available = min(call.want, room,
    floor(limit.burst / SHARE) - kept, floor(limit.burst / TOGETHER) - bucket.leased)
  return max(0, floor(available / call.grain) * call.grain)
end

-- Returns the granted amount, or -1 if a later call was already processed; and the amount the
-- holder keeps.
function leases.renew(claim, call)
  local bucket, limit = claim.bucket, claim.limit
  local at, old = find(bucket, call.holder)
  if old and old.number >= call.number then
    return -1, 0
  end
  local held = old and old.amount or 0
  local kept = min(call.keep, held)
  local back = min(call.back, held - kept)
  if old then
    table.remove(bucket.leases, at)
    bucket.leased = bucket.leased - held + kept
  end
  if back > 0 then
    claim.ticks, claim.rest =
      minus(limit.perTick, claim.ticks, claim.rest, debtFor(back, limit))
    move(bucket, claim.state, claim.ticks, claim.rest, -back)
  end
  local granted = grantable(claim, call, kept)
  if granted > 0 then
    bucket.leased = bucket.leased + granted
    claim.ticks, claim.rest =
      plus(limit.perTick, claim.ticks, claim.rest, debtFor(granted, limit))
    move(bucket, claim.state, claim.ticks, claim.rest, granted)
  end
  if kept + granted > 0 then
    bucket.leases[#bucket.leases + 1] = {
      holder = call.holder, number = call.number, amount = kept + granted,
      -- Longer than for the holder, even if the holder's clock is slow by a tenth.
      left = call.length + ceil(call.length / 8) + 1,
    }
  end
  bucket.changed = bucket.changed or held > 0 or granted > 0
  return granted, kept
end

-- Adds the leases to the fields of a value; returns for how many ticks they are relevant.
function leases.save(bucket, fields)
  fields[#fields + 1] = #bucket.leases
  local last = 0
  for _, lease in ipairs(bucket.leases) do
    local n = #fields
    fields[n + 1], fields[n + 2] = lease.holder, lease.number
    fields[n + 3], fields[n + 4] = lease.amount, lease.left
    last = max(last, lease.left)
  end
  local maxTicks = 0
  for _, state in ipairs(bucket.states) do
    maxTicks = max(maxTicks, (minDebtOf(state, bucket.leased)) + 1)
  end
  return last + maxTicks + 1
end
