/**
 * The ledger's transitions, each one script; the port says what they keep (L1 to L4).
 *
 * A budget is a hash: `known`, `s:<unit>` what was spent, `o:<unit>` what is reserved and has not ended, and for each
 * such try `t:<try>` with its lease and amounts, so that what is an estimate by now is found by looking. A quota is a
 * hash of `u:<unit>`, what is used, and `a:<unit>`, the instant (ms) up to which it has refilled; a full one is as good
 * as none, and expires. A try is a string that names the accounts it drew on; ending one touches keys it was not given, which is why there is one node only.
 */

const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end
`;

const quotas = `
local function level(key, unit, limit, windowMs)
  local found = redis.call('HMGET', key, 'u:' .. unit, 'a:' .. unit)
  if not found[1] then return 0, now end
  local used, at = tonumber(found[1]), math.min(tonumber(found[2]), now)
  local gained = math.floor((now - at) * limit / windowMs)
  if gained >= used then return 0, now end
  return used - gained, at + math.ceil(gained * windowMs / limit)
end
local function draw(key, account, amounts, less)
  local fullMs = 0
  for unit, limit in pairs(account.limits) do
    local change = (amounts[unit] or 0) - (less[unit] or 0)
    if limit > 0 and change ~= 0 then
      local used, at = level(key, unit, limit, account.windowMs)
      used = math.max(0, used + change)
      redis.call('HSET', key, 'u:' .. unit, whole(used), 'a:' .. unit, whole(at))
      fullMs = math.max(fullMs, math.ceil(used * account.windowMs / limit))
    end
  end
  if fullMs > redis.call('PTTL', key) then redis.call('PEXPIRE', key, whole(fullMs)) end
end
`;

/** KEYS the try, then its accounts. ARGV the try's name, what is reserved as JSON, how long it is kept. */
export const reserve = `${clock}${quotas}
local name, asked, keepMs = ARGV[1], cjson.decode(ARGV[2]), ARGV[3]
local known = redis.call('GET', KEYS[1])
local lease = cjson.encode({ lease = now + asked.leaseMs, amounts = asked.amounts })
if known then
  local try = cjson.decode(known)
  if try.status ~= 'open' then return { 'ended' } end
  lease = cjson.encode({ lease = now + asked.leaseMs, amounts = try.amounts })
  for _, account in ipairs(try.accounts) do
    if account.kind == 'budget' and redis.call('HEXISTS', account.key, 't:' .. name) == 1 then
      redis.call('HSET', account.key, 't:' .. name, lease)
      redis.call('PEXPIRE', account.key, keepMs)
    end
  end
  redis.call('PEXPIRE', KEYS[1], keepMs)
  return { 'granted' }
end
local waiting, waitMs = '', 0
for at, account in ipairs(asked.accounts) do
  local key = KEYS[at + 1]
  account.key = key
  if account.kind == 'budget' and redis.call('HEXISTS', key, 'known') == 0 then return { 'absent', account.name } end
  for unit, amount in pairs(asked.amounts) do
    local limit = account.limits[unit]
    if limit and amount > 0 then
      if account.kind == 'budget' then
        local sums = redis.call('HMGET', key, 's:' .. unit, 'o:' .. unit)
        local left = limit - (sums[1] or 0) - (sums[2] or 0)
        if amount > left then return { 'exhausted', account.name, unit, whole(left) } end
      else
        if amount > limit then return { 'exhausted', account.name, unit, whole(limit) } end
        local used, since = level(key, unit, limit, account.windowMs)
        local missing = used + amount - limit
        if missing > 0 then
          local turn = since + math.ceil(missing * account.windowMs / limit) - now
          if turn > waitMs then waiting, waitMs = account.name, turn end
        end
      end
    end
  end
end
if waitMs > 0 then return { 'wait', waiting, whole(waitMs) } end
for _, account in ipairs(asked.accounts) do
  if account.kind == 'budget' then
    for unit, amount in pairs(asked.amounts) do redis.call('HINCRBY', account.key, 'o:' .. unit, whole(amount)) end
    redis.call('HSET', account.key, 't:' .. name, lease)
    redis.call('PEXPIRE', account.key, keepMs)
  else
    draw(account.key, account, asked.amounts, {})
  end
end
local try = cjson.encode({ status = 'open', amounts = asked.amounts, accounts = asked.accounts })
redis.call('SET', KEYS[1], try, 'PX', keepMs)
return { 'granted' }
`;

/** KEYS the try. ARGV its name, what it took as JSON, how long it is remembered. */
export const end = `${clock}${quotas}
local name, took, keepMs = ARGV[1], cjson.decode(ARGV[2]), ARGV[3]
local known = redis.call('GET', KEYS[1])
if not known then return 'absent' end
local try = cjson.decode(known)
if try.status ~= 'open' then return 'already' end
for _, account in ipairs(try.accounts) do
  local key = account.key
  if account.kind == 'quota' then
    draw(key, account, took, try.amounts)
  elseif redis.call('HEXISTS', key, 'known') == 1 then
    if redis.call('HDEL', key, 't:' .. name) == 1 then
      for unit, amount in pairs(try.amounts) do redis.call('HINCRBY', key, 'o:' .. unit, whole(-amount)) end
    end
    for unit, amount in pairs(took) do redis.call('HINCRBY', key, 's:' .. unit, whole(amount)) end
    redis.call('PEXPIRE', key, keepMs)
  end
end
redis.call('SET', KEYS[1], '{"status":"ended"}', 'PX', keepMs)
return 'counted'
`;

/** Sums up the budget at `KEYS[1]`. */
const sums = `${clock}
local spent, held, estimated, known = {}, {}, {}, false
local fields = redis.call('HGETALL', KEYS[1])
for at = 1, #fields, 2 do
  local kind, name, value = string.sub(fields[at], 1, 2), string.sub(fields[at], 3), fields[at + 1]
  if fields[at] == 'known' then
    known = true
  elseif kind == 's:' then
    spent[name] = tonumber(value)
  elseif kind == 't:' then
    local try = cjson.decode(value)
    local into = try.lease > now and held or estimated
    for unit, amount in pairs(try.amounts) do into[unit] = (into[unit] or 0) + amount end
  end
end
`;

/** KEYS the budget. ARGV the journal's sum as JSON, how long the budget is kept. */
export const rebuild = `${sums}
for unit, amount in pairs(cjson.decode(ARGV[1])) do
  local missing = amount - (spent[unit] or 0) - (estimated[unit] or 0)
  if missing > 0 then redis.call('HINCRBY', KEYS[1], 's:' .. unit, whole(missing)) end
end
redis.call('HSET', KEYS[1], 'known', '1')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'counted'
`;

/** KEYS the budget. */
export const balance = `${sums}
if not known then return false end
return cjson.encode({ spent = spent, held = held, estimated = estimated })
`;
