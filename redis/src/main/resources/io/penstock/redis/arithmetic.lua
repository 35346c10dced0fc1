-- What all kinds of buckets count with.

-- How many foreign values were put right.
local repaired = 0

-- a * b / c and what is left over, all whole and not negative. Exact while the product is below
-- 2^53, or b and c are below 2^49; otherwise the quotient is as near as doubles come.
local function divide(a, b, c)
  local product = a * b
  if product < 2^53 or b >= 2^49 or c >= 2^49 then
    local quotient = floor(product / c)
    return quotient, product - quotient * c
  end
  local quotient, rest = 0, 0
  for digit = 17, 0, -1 do
    local part = rest * 8 + fmod(floor(a / 8^digit), 8) * b
    local whole = floor(part / c)
    quotient, rest = quotient * 8 + whole, part - whole * c
  end
  return quotient, rest
end

local function divideUp(a, b, c)
  local quotient, rest = divide(a, b, c)
  return rest ~= 0 and quotient + 1 or quotient
end
