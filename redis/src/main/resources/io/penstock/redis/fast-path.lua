-- A fast path for calls with several requests like those of single.lua, in which each bucket occurs
-- once. It writes nothing until it is certain that it can handle the call. Otherwise it returns nil, and
-- the rest of the script decides.

local numbers = { cmsgpack.unpack(ARGV[1]) }
if type(numbers[1]) == 'table' then
  numbers = numbers[1]
end

local function isWhole(number, minimum)
  return type(number) == 'number' and number >= minimum and number < 2^53 and number == floor(number)
end

local function decideFast()
  local perTick, perThousandth, burst = numbers[3], numbers[4], numbers[5]
  local reach, count = numbers[6], numbers[8]
  if numbers[1] ~= 1 or numbers[2] ~= BUCKET or numbers[7] ~= 0 or count ~= #names
    or burst * perThousandth >= 2^53 then
    return nil
  end
  local units = burst * perThousandth
  local burstRest = fmod(units, perTick)
  local burstTicks = (units - burstRest) / perTick
  local values = values or redis.call('MGET', unpack(names))
  local replies, expiries = { 0 }, {}
  for i = 1, count do
    local at = 2 + 7 * i
    local key = numbers[at + 3]
    -- A number in place of the value means that the key was already used by this call.
    local value = values[key]
    if numbers[at] ~= TAKE or numbers[at + 2] ~= 1 or type(value) == 'number'
      or numbers[at + 5] * perThousandth >= 2^53 then
      return nil
    end
    local ticks, rest, newReach = 0, 0, 0
    -- MGET returns nothing for values of other types, which are foreign.
    value = value or KEYS[key] and redis.pcall('GET', KEYS[key])
    if value then
      local ok, mark, written, oldTicks, oldRest, tick, thousandth, whole, oldReach, retired, other =
        pcall(cmsgpack.unpack, value)
      if not ok or mark ~= MARK or tick ~= perTick or thousandth ~= perThousandth
        or whole ~= burst or retired ~= 0 or other or not isWhole(written, 0) or written > now
        or not isWhole(oldTicks, 0) or not isWhole(oldRest, 0) or oldRest >= perTick
        or not isWhole(oldReach, 0) then
        return nil
      end
      local left, maxTicks = oldTicks - (now - written), burstTicks + max(reach, oldReach)
      if left > maxTicks or left == maxTicks and oldRest > burstRest then
        return nil
      end
      newReach = oldReach
      local expiry = written + oldTicks
      expiries[key] = expiry - expiry % EXPIRY_STEP
      if left >= 0 then
        ticks, rest = left, oldRest
      end
    end
    local n = 3 * i
    replies[n - 1], replies[n], replies[n + 1], values[key] = 0, ticks, rest, newReach
  end
  for i = 1, count do
    local at = 2 + 7 * i
    local granted, cost, delay = numbers[at + 1], numbers[at + 5] * perThousandth, numbers[at + 6]
    local n, key = 3 * i, numbers[at + 3]
    local ticks, rest = replies[n], replies[n + 1]
    local costRest = fmod(cost, perTick)
    local costTicks = (cost - costRest) / perTick
    local roomTicks, roomRest = burstTicks + delay - ticks, burstRest - rest
    if roomRest < 0 then
      roomTicks, roomRest = roomTicks - 1, roomRest + perTick
    end
    if delay < 0 or roomTicks < 0 then
      granted = 0
    elseif granted == 1 then
      if costTicks > roomTicks or costTicks == roomTicks and costRest > roomRest then
        granted = 0
      end
    elseif cost > 0 then
      -- The estimate may be too large by one; the loop is exact.
      granted = min(granted,
        floor((roomTicks + roomRest / perTick) / (costTicks + costRest / perTick)) + 1)
      while granted > 0 do
        local sum = granted * costRest
        local over = fmod(sum, perTick)
        local needed = granted * costTicks + (sum - over) / perTick
        if needed < roomTicks or needed == roomTicks and over <= roomRest then
          break
        end
        granted = granted - 1
      end
    end
    replies[n - 1] = granted
    if granted > 0 and cost > 0 then
      local sum = rest + granted * costRest
      rest = fmod(sum, perTick)
      ticks = ticks + granted * costTicks + (sum - rest) / perTick
      local newReach = values[key]
      if ticks >= burstTicks then
        newReach = max(newReach, ticks - burstTicks + (rest > burstRest and 1 or 0))
      end
      local value =
        cmsgpack.pack(MARK, now, ticks, rest, perTick, perThousandth, burst, newReach, 0)
      local expiry = now + ticks
      expiry = expiry - expiry % EXPIRY_STEP
      if expiry == expiries[key] then
        redis.call('SET', names[key], value, 'KEEPTTL')
      else
        redis.call('SET', names[key], value, 'PX', ceil((expiry + 2 * EXPIRY_STEP - now) / 1000))
      end
    end
  end
  replies[3 * count + 2] = now
  return replies
end

local fast = decideFast()
if fast then
  return fast
end
