-- Parsing of the call.

local position = 0

local function read()
  position = position + 1
  return numbers[position]
end

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
    withBurst(limit)
  else
    limit.length, limit.capacity = read(), read()
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
    local value = values and values[key]
    -- The fast path may have replaced it by a number.
    if limit.algorithm ~= log and value ~= false and type(value) ~= 'string' then
      value = redis.pcall('GET', names[key])
    end
    -- An error means a value of another type. Treat it as foreign, like an empty value.
    if type(value) == 'table' then
      value = ''
    end
    bucket = limit.algorithm.load(value)
    bucket.algorithm = limit.algorithm
    buckets[key] = bucket
  end
  return bucket
end

-- Decisions.

local function grant(claims, operation, times)
  local granted = times
  for i = 1, #claims do
    granted = min(granted, claims[i].limit.algorithm.evaluate(claims[i], times))
  end
  if granted > 0 and operation ~= PEEK then
    for i = 1, #claims do
      if claims[i].cost > 0 then
        claims[i].limit.algorithm.take(claims[i], granted)
      end
    end
  end
  return granted
end

local replies = { 0 }

-- Renews a lease: the holder reports what it has, and takes more.
local function lease(claim)
  claim.writes = true
  claim.limit.algorithm.evaluate(claim, 1)
  local granted, kept = leases.renew(claim, {
    holder = read(), number = read(), keep = read(), back = read(), want = read(), grain = read(),
    length = read(),
  })
  local n = #replies
  replies[n + 1], replies[n + 2], replies[n + 3] = granted, claim.ticks, claim.rest
  replies[n + 4], replies[n + 5] = kept, claim.bucket.leased
end

local function readGrants()
  local grants = {}
  for i = 1, read() do
    grants[i] = { time = read(), amount = read() }
  end
  return grants
end

-- Changes one bucket unconditionally.
local function change(claim, operation)
  local algorithm = claim.limit.algorithm
  algorithm.evaluate(claim, 1)
  if operation == CHARGE then
    algorithm.charge(claim)
  elseif operation == REFUND then
    algorithm.refund(claim)
  elseif operation == GIVE_BACK then
    algorithm.giveBack(claim, { time = read(), ticks = read(), rest = read() })
  elseif operation == RAISE_DEBT then
    algorithm.raiseDebt(claim, claim.limit.kind == BUCKET and read() or readGrants())
  else
    algorithm.reset(claim)
  end
end

for _ = 1, read() do
  local operation, times = read(), read()
  local claims = {}
  for i = 1, read() do
    local key, limit = read(), limits[read()]
    local claim = {
      key = names[key], limit = limit, bucket = bucketOf(key, limit), cost = read(), delay = read(),
    }
    claim.writes = operation ~= PEEK and claim.cost > 0 and claim.delay >= 0
    claims[i] = claim
  end
  if operation == LEASE then
    lease(claims[1])
  else
    local granted = times
    if operation <= PEEK then
      granted = grant(claims, operation, times)
    else
      change(claims[1], operation)
    end
    replies[#replies + 1] = granted
    for i = 1, #claims do
      claims[i].limit.algorithm.reply(claims[i], replies, granted < times)
    end
  end
end

for key, bucket in pairs(buckets) do
  if bucket.changed then
    bucket.algorithm.save(names[key], bucket)
  end
end

replies[1], replies[#replies + 1] = repaired, now
return replies
