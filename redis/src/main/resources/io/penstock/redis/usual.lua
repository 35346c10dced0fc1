-- The usual call: token buckets under one limit that replaces no other, each asked for once, to take
-- from; and each kept under that limit alone. It comes first because making all the functions below
-- takes longer than it does. Nothing is written before it is certain that the call is of this sort;
-- otherwise the answer is nil, and the rest of the script decides.
local function decideUsual()
  local perTick, perThousandth, burst = numbers[3], numbers[4], numbers[5]
  local reach, count = numbers[6], numbers[8]
  if numbers[1] ~= 1 or numbers[2] ~= BUCKET or numbers[7] ~= 0 or count ~= #KEYS then
    return nil
  end
  local values = redis.call('MGET', unpack(KEYS))
  local debts, reaches, seen = {}, {}, {}
  for i = 1, count do
    local at = 2 + 7 * i
    local key = numbers[at + 3]
    if numbers[at] ~= TAKE or numbers[at + 2] ~= 1 or seen[key] then
      return nil
    end
    seen[key] = true
    local debt, far = 0, 0
    -- MGET has nothing to say of other types, which are foreign values.
    local value = values[key] or redis.pcall('GET', KEYS[key])
    if value then
      local fine, mark, fullAt, remainder, tick, thousandth, whole, reached, past, more =
        pcall(cmsgpack.unpack, value)
      if not fine or mark ~= MARK or tick ~= perTick or thousandth ~= perThousandth
        or whole ~= burst or past ~= 0 or more or not isWhole(fullAt, 0)
        or not isWhole(remainder, 0) or remainder >= perTick or not isWhole(reached, 0)
        or burst + reached * perTick >= 2^53 then
        return nil
      end
      far = reached
      local ticks, most = fullAt - now, burst + max(reach, far) * perTick
      if ticks > most / perTick or ticks * perTick + remainder > most then
        return nil
      end
      debt = ticks < 0 and 0 or ticks * perTick + remainder
    end
    debts[i], reaches[i] = debt, far
  end
  local replies = { 0 }
  for i = 1, count do
    local at = 2 + 7 * i
    local granted, cost, debt = numbers[at + 1], numbers[at + 5], debts[i]
    local room = numbers[at + 6] - debt
    if room < cost or room < 0 then
      granted = 0
    elseif cost > 0 then
      granted = min(granted, floor(room / cost))
    end
    replies[2 * i], replies[2 * i + 1] = granted, debt
    if granted > 0 and cost > 0 then
      local after, far = debt + granted * cost, reaches[i]
      local remainder = fmod(after, perTick)
      local ticks = (after - remainder) / perTick
      if after > burst then
        far = max(far, ceil((after - burst) / perTick))
      end
      redis.call('SET', KEYS[numbers[at + 3]],
        cmsgpack.pack(MARK, now + ticks, remainder, perTick, perThousandth, burst, far, 0),
        'PX', ceil((ticks + 1) / 1000))
    end
  end
  return replies
end

local usual = decideUsual()
if usual then
  return usual
end
