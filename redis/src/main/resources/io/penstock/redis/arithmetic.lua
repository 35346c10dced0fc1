-- Arithmetic that all algorithms share.

-- The number of foreign values that were replaced.
local repaired = 0

-- Returns the quotient and the remainder of a * b / c, for non-negative integers. Exact if the
-- product is below 2^53, or if b and c are at most 2^49; otherwise as precise as doubles.
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

-- A debt consists of ticks and a rest of less than a tick, in units of its limit.

local function isGreater(ticks, rest, thanTicks, thanRest)
  return ticks > thanTicks or ticks == thanTicks and rest > thanRest
end

local function plus(perTick, ticks, rest, moreTicks, moreRest)
  local sum = rest + moreRest
  local left = fmod(sum, perTick)
  return ticks + moreTicks + (sum - left) / perTick, left
end

-- The result is zero if it would be negative.
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
  if isGreater(ticks, rest, otherTicks, otherRest) then
    return otherTicks, otherRest
  end
  return ticks, rest
end

local function larger(ticks, rest, otherTicks, otherRest)
  if isGreater(otherTicks, otherRest, ticks, rest) then
    return otherTicks, otherRest
  end
  return ticks, rest
end
