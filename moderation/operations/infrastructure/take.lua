-- Takes from a bucket: whether it may, what is left, milliseconds until it is full. Times are milliseconds.
-- Who asks for more than a burst at once pays for all of it afterwards. What was written in the future was
-- written before the clock was set back: it moves back with the clock.
local now, interval, burst, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local full_at, written_at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) ?(%S*)$')
full_at, written_at = tonumber(full_at) or now, tonumber(written_at) or now
full_at = math.max(full_at - math.max(0, written_at - now), now)
local lives = math.ceil(full_at - now) + 1000
local wait = full_at - now - (burst - math.min(cost, burst)) * interval
if wait > 0 then
  if written_at > now then
    redis.call('SET', KEYS[1], string.format('%.3f %.3f', full_at, now), 'PX', lives)
  end
  return {0, math.floor((now + burst * interval - full_at) / interval), math.ceil(wait)}
end
full_at = full_at + cost * interval
redis.call('SET', KEYS[1], string.format('%.3f %.3f', full_at, now), 'PX', math.ceil(full_at - now) + 1000)
return {1, math.max(0, math.floor((now + burst * interval - full_at) / interval)), math.ceil(full_at - now)}
