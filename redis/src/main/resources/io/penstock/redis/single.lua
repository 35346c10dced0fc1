-- A fast path for calls with one request that takes from a token bucket, under a limit that replaces no
-- other, if the bucket has a state for that limit only. It writes nothing until it is certain that it
-- can handle the call; otherwise the rest of the script decides. It contains no function, because
-- defining functions, and the variables that they share, takes longer than the whole decision.
repeat
  -- An array begins with a larger byte than a number.
  if ARGV[2] or string.byte(ARGV[1]) >= 0x80 then
    break
  end
  local _, kind, perTick, perThousandth, burst, reach, replaced, _, operation, times, _, _, _, cost, delay =
    cmsgpack.unpack(ARGV[1])
  if not delay or kind ~= BUCKET or replaced ~= 0 or operation ~= TAKE
    or burst * perThousandth >= 2^53 or cost * perThousandth >= 2^53 then
    break
  end
  local burstRest = fmod(burst * perThousandth, perTick)
  local burstTicks = (burst * perThousandth - burstRest) / perTick
  local value = redis.pcall('GET', KEYS[1])
  local ticks, rest, newReach, expiry = 0, 0, 0, 0
  if value then
    local ok, mark, written, oldTicks, oldRest, tick, thousandth, whole, oldReach, retired, other =
      pcall(cmsgpack.unpack, value)
    if not ok or mark ~= MARK or tick ~= perTick or thousandth ~= perThousandth or whole ~= burst
      or retired ~= 0 or other
      or type(written) ~= 'number' or type(oldTicks) ~= 'number' or type(oldRest) ~= 'number'
      or type(oldReach) ~= 'number' or written < 0 or written > now or written % 1 ~= 0
      or oldTicks < 0 or oldTicks >= 2^53 or oldTicks % 1 ~= 0
      or oldRest < 0 or oldRest >= perTick or oldRest % 1 ~= 0
      or oldReach < 0 or oldReach >= 2^53 or oldReach % 1 ~= 0 then
      break
    end
    local left, maxTicks = oldTicks - (now - written), burstTicks + max(reach, oldReach)
    if left > maxTicks or left == maxTicks and oldRest > burstRest then
      break
    end
    newReach = oldReach
    expiry = written + oldTicks
    expiry = expiry - expiry % EXPIRY_STEP
    if left >= 0 then
      ticks, rest = left, oldRest
    end
  end
  local costRest = fmod(cost * perThousandth, perTick)
  local costTicks = (cost * perThousandth - costRest) / perTick
  local roomTicks, roomRest = burstTicks + delay - ticks, burstRest - rest
  if roomRest < 0 then
    roomTicks, roomRest = roomTicks - 1, roomRest + perTick
  end
  local granted = times
  if delay < 0 or roomTicks < 0 then
    granted = 0
  elseif times == 1 then
    if costTicks > roomTicks or costTicks == roomTicks and costRest > roomRest then
      granted = 0
    end
  elseif cost > 0 then
    -- The estimate may be too large by one; the loop is exact.
    granted = min(times,
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
  if granted > 0 and cost > 0 then
    local sum = rest + granted * costRest
    local newRest = fmod(sum, perTick)
    local newTicks = ticks + granted * costTicks + (sum - newRest) / perTick
    if newTicks >= burstTicks then
      newReach = max(newReach, newTicks - burstTicks + (newRest > burstRest and 1 or 0))
    end
    local newValue =
      cmsgpack.pack(MARK, now, newTicks, newRest, perTick, perThousandth, burst, newReach, 0)
    local newExpiry = now + newTicks
    newExpiry = newExpiry - newExpiry % EXPIRY_STEP
    if newExpiry == expiry then
      redis.call('SET', KEYS[1], newValue, 'KEEPTTL')
    else
      redis.call('SET', KEYS[1], newValue,
        'PX', ceil((newExpiry + 2 * EXPIRY_STEP - now) / 1000))
    end
  end
  return { 0, granted, ticks, rest, now }
until true
