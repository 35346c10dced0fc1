-- Leases: tokens of a bucket that a holder has taken in advance, in thousandths, until an instant. They
-- are charged to the bucket when they are taken. Until they come back or the lease ends, they are a
-- floor under its debt, so that what refills never takes the place of what is still out: the level and
-- all that is out are at most the burst. When a lease ends, what was out refills like anything else.
--
-- A holder says in each call all that it still has. Its calls are numbered, so that one that comes late
-- is known; and it counts the length of its lease from before it asked, so that its end comes first.

-- So that a value stays short. Others have to ask for each token.
local MAX_HOLDERS = 64

-- A holder has at most this share of the burst, and all together have at most that.
local SHARE, TOGETHER = 8, 2

-- No lease lasts longer. One that would, in a value that holds instants, was made by a clock that
-- stepped back.
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

-- Brings a bucket to now: forms owe what leases have kept missing until now, or until they ended.
function leases.settle(bucket)
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
    for _, form in ipairs(bucket.forms) do
      local ticks, rest = leastOf(form, out)
      ticks = ticks - over
      if ticks >= 0 and isMore(ticks, rest, debtOf(form, 0)) then
        owe(form, ticks, rest)
      end
    end
    if lease.left > 0 then
      bucket.out = out
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

-- What a holder may take: what is there, within its share, and no part of what a request needs.
local function grantable(claim, call, kept)
  local limit, bucket = claim.limit, claim.bucket
  if #bucket.leases >= MAX_HOLDERS then
    return 0
  end
  local roomTicks, roomRest = minus(limit.perTick, limit.burstTicks, limit.burstRest,
    claim.ticks, claim.rest)
  local room = thousandthsOf(roomTicks, roomRest, limit)
  local most = min(call.want, room,
    floor(limit.burst / SHARE) - kept, floor(limit.burst / TOGETHER) - bucket.out)
  return max(0, floor(most / call.grain) * call.grain)
end

-- Returns what was granted, -1 if a later call has come before; and what the holder may keep.
function leases.renew(claim, call)
  local bucket, limit = claim.bucket, claim.limit
  local at, old = find(bucket, call.holder)
  if old and old.number >= call.number then
    return -1, 0
  end
  local has = old and old.amount or 0
  local kept = min(call.keep, has)
  local back = min(call.back, has - kept)
  if old then
    table.remove(bucket.leases, at)
    bucket.out = bucket.out - has + kept
  end
  if back > 0 then
    claim.ticks, claim.rest =
      minus(limit.perTick, claim.ticks, claim.rest, owedFor(back, limit))
    move(bucket, claim.form, claim.ticks, claim.rest, -back)
  end
  local granted = grantable(claim, call, kept)
  if granted > 0 then
    bucket.out = bucket.out + granted
    claim.ticks, claim.rest =
      plus(limit.perTick, claim.ticks, claim.rest, owedFor(granted, limit))
    move(bucket, claim.form, claim.ticks, claim.rest, granted)
  end
  if kept + granted > 0 then
    bucket.leases[#bucket.leases + 1] = {
      holder = call.holder, number = call.number, amount = kept + granted,
      -- Later than for the holder, even if its clock is slow by a tenth.
      left = call.length + ceil(call.length / 8) + 1,
    }
  end
  bucket.changed = bucket.changed or has > 0 or granted > 0
  return granted, kept
end

-- Adds leases to what is kept; returns for how many ticks they matter.
function leases.save(bucket, fields)
  fields[#fields + 1] = #bucket.leases
  local last = 0
  for _, lease in ipairs(bucket.leases) do
    local n = #fields
    fields[n + 1], fields[n + 2] = lease.holder, lease.number
    fields[n + 3], fields[n + 4] = lease.amount, lease.left
    last = max(last, lease.left)
  end
  local longest = 0
  for _, form in ipairs(bucket.forms) do
    longest = max(longest, (leastOf(form, bucket.out)) + 1)
  end
  return last + longest + 1
end
