-- The arithmetic of all kinds of buckets.

-- How many foreign values were repaired.
local repaired = 0

-- a * b / c and the rest of it, all whole and not negative. Exact while the product is below 2^53, or
-- b and c are at most 2^49; otherwise the quotient is as near as doubles come.
local function divide(a, b, c)
  local product = a * b
  if product < 2^53 or b > 2^49 or c > 2^49 then
    local rest = fmod(product, c)
    return (product - rest) / c, rest
  end
  local quotient, rest = 0, 0
  for digit = 17, 0, -1 do
    local part = rest * 8 + fmod(floor(a / 8^digit), 8) * b
    local over = fmod(part, c)
    quotient, rest = quotient * 8 + (part - over) / c, over
  end
  return quotient, rest
end

local function divideUp(a, b, c)
  local quotient, rest = divide(a, b, c)
  return rest ~= 0 and quotient + 1 or quotient
end

-- Debts are ticks and a rest of less than a tick, in units of their limit.

local function isMore(ticks, rest, thanTicks, thanRest)
  return ticks > thanTicks or ticks == thanTicks and rest > thanRest
end

local function plus(perTick, ticks, rest, moreTicks, moreRest)
  local sum = rest + moreRest
  local left = fmod(sum, perTick)
  return ticks + moreTicks + (sum - left) / perTick, left
end

-- Nothing if there would be less than nothing.
local function minus(perTick, ticks, rest, lessTicks, lessRest)
  ticks, rest = ticks - lessTicks, rest - lessRest
  if rest < 0 then
    ticks, rest = ticks - 1, rest + perTick
  end
  if ticks < 0 then
    return 0, 0
  end
  return ticks, rest
end

local function smaller(ticks, rest, otherTicks, otherRest)
  if isMore(ticks, rest, otherTicks, otherRest) then
    return otherTicks, otherRest
  end
  return ticks, rest
end

local function larger(ticks, rest, otherTicks, otherRest)
  if isMore(otherTicks, otherRest, ticks, rest) then
    return otherTicks, otherRest
  end
  return ticks, rest
end
