-- The usual call: token buckets under one limit that replaces no other, each asked for once, to take
-- from; and each kept under that limit alone. It comes first because making all the functions below
-- takes longer than it does. Nothing is written before it is certain that the call is of this sort;
-- otherwise the answer is nil, and the rest of the script decides.
local function decideUsual()
  local perTick, perThousandth, burst = numbers[3], numbers[4], numbers[5]
  local reach, count = numbers[6], numbers[8]
  if numbers[1] ~= 1 or numbers[2] ~= BUCKET or numbers[7] ~= 0 or count ~= #KEYS
    or burst * perThousandth >= 2^53 then
    return nil
  end
  local units = burst * perThousandth
  local burstRest = fmod(units, perTick)
  local burstTicks = (units - burstRest) / perTick
  local values = redis.call('MGET', unpack(KEYS))
  local replies = { 0 }
  for i = 1, count do
    local at = 2 + 7 * i
    local key = numbers[at + 3]
    -- A number is in the place of the value of a key that was asked for before.
    local value = values[key]
    if numbers[at] ~= TAKE or numbers[at + 2] ~= 1 or type(value) == 'number'
      or numbers[at + 5] * perThousandth >= 2^53 then
      return nil
    end
    local ticks, rest, far = 0, 0, 0
    -- MGET returns nothing for other types, which are foreign values.
    value = value or redis.pcall('GET', KEYS[key])
    if value then
      local fine, mark, written, owed, more, tick, thousandth, whole, reached, past, other =
        pcall(cmsgpack.unpack, value)
      if not fine or mark ~= MARK or tick ~= perTick or thousandth ~= perThousandth
        or whole ~= burst or past ~= 0 or other or not isWhole(written, 0) or written > now
        or not isWhole(owed, 0) or not isWhole(more, 0) or more >= perTick
        or not isWhole(reached, 0) then
        return nil
      end
      local left, longest = owed - (now - written), burstTicks + max(reach, reached)
      if left > longest or left == longest and more > burstRest then
        return nil
      end
      far = reached
      if left >= 0 then
        ticks, rest = left, more
      end
    end
    local n = 3 * i
    replies[n - 1], replies[n], replies[n + 1], values[key] = 0, ticks, rest, far
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
      -- May be too much by one; exact from here.
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
      local far = values[key]
      if ticks >= burstTicks then
        far = max(far, ticks - burstTicks + (rest > burstRest and 1 or 0))
      end
      redis.call('SET', KEYS[key],
        cmsgpack.pack(MARK, now, ticks, rest, perTick, perThousandth, burst, far, 0),
        'PX', ceil((ticks + 1) / 1000))
    end
  end
  replies[3 * count + 2] = now
  return replies
end

local usual = decideUsual()
if usual then
  return usual
end
