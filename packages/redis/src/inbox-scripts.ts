/**
 * The inbox's transitions, each one script: what it reads and what it writes is one step for everybody (ADR 16).
 *
 * I1 A token is given once and is larger than all before it, in every life of the store.
 * I2 While a lease runs, nobody else gets the record.
 * I3 What was started and lapsed is never run again: its outcome is unknown.
 * I4 A stored outcome answers before anything else is asked, the job's cancel too: last words count.
 *
 * A record is one string, because reading and writing it is then one call each: a line of
 * `status token lease strikes tries fresh print`, and one line each for the owner, the label and what is stored, or of a
 * released one what its last try was told. The last three are JSON, which has no line ends; no script ever looks into them. Nobody's token is `-`.
 */

/** The server's own time in milliseconds. */
const clock = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Reads the record at `KEYS[1]`, the halt mark at `KEYS[2]` and what else there is, in one call. */
const open = String.raw`
local found = redis.call('MGET', unpack(KEYS))
local text = found[1]
local status, token, lease, strikes, tries, fresh, asked, owner, label, stored
if text then
  status, token, lease, strikes, tries, fresh, asked, owner, label, stored =
    string.match(text, '^(%l+) (%S+) (%d+) (%d+) (%d+) (%d) (%x+)\n([^\n]*)\n([^\n]*)\n([^\n]*)$')
  if not status then return redis.error_reply('FOLDMESH the record ' .. KEYS[1] .. ' is unreadable') end
end
local function keep(...)
  return redis.call('SET', KEYS[1], status .. ' ' .. token .. ' ' .. lease .. ' ' .. strikes .. ' ' .. tries .. ' ' ..
    fresh .. ' ' .. asked .. '\n' .. owner .. '\n' .. label .. '\n' .. stored, ...)
end
`;

/**
 * KEYS record, halt mark, last token of the job. ARGV print, owner, label, lease, how long an unfinished one is kept,
 * strikes at which it has struck out. A token is the server's time in microseconds, or the job's last one plus one
 * where that is larger: the first makes it grow over lives of the store, the second while its clock is set back.
 */
export const claim = `${open}${clock}
if text and asked ~= ARGV[1] then return { 'reused', label } end
local keepUntil = string.format('%.0f', now + ARGV[5])
if status == 'started' and tonumber(lease) <= now then
  status, token, owner = 'settled', '-', '""'
  stored = '{"outcome":{"kind":"unknown","open":{"call":' .. label ..
    ',"detail":"it was started, and whoever started it fell silent before saying how it ended"}}}'
  keep('PXAT', keepUntil)
end
if status == 'settled' then return { 'settled', stored } end
if found[2] then return { 'halted' } end
if status == 'struck' then return { 'struck', tonumber(strikes) } end
if status ~= 'claimed' or owner ~= ARGV[2] then
  if status == 'claimed' or status == 'started' then
    if tonumber(lease) > now then return { 'held', lease - now } end
    strikes = strikes + 1
    if strikes >= tonumber(ARGV[6]) then
      status, token = 'struck', '-'
      keep('PXAT', keepUntil)
      return { 'struck', strikes }
    end
  end
  if text then
    fresh = '0'
  else
    fresh, strikes, tries, asked, label, stored = '1', '0', '0', ARGV[1], ARGV[3], ''
  end
  token = string.format('%.0f', math.max(time[1] * 1000000 + time[2], (found[3] or 0) + 1))
  owner = ARGV[2]
  redis.call('SET', KEYS[3], token, 'PX', ARGV[5])
end
status, lease = 'claimed', string.format('%.0f', now + ARGV[4])
if not keep('PXAT', keepUntil, text and 'XX' or 'NX') then
  return redis.error_reply('FOLDMESH what lies at ' .. KEYS[1] .. ' is no record')
end
return { 'won', token, tonumber(strikes), tonumber(tries), fresh }
`;

/** Goes on only for the last token; `settled` is what one is told that has completed it already. */
const own = (settled: 'held' | 'lost'): string => `${open}
if status == 'settled' and token == ARGV[1] then return '${settled}' end
if (status ~= 'claimed' and status ~= 'started') or token ~= ARGV[1] then return 'lost' end
`;

const end = `
return found[2] and 'halted' or 'held'
`;

/** KEYS record, halt mark. ARGV token, lease, how long an unfinished one is kept. */
export const renew = `${own('held')}${clock}
lease = string.format('%.0f', now + ARGV[2])
keep('PXAT', string.format('%.0f', now + ARGV[3]))
${end}`;

/** KEYS record, halt mark. ARGV token. A cancelled job's effect must not leave any more, so nothing is started there. */
export const start = `${own('lost')}
if not found[2] and status ~= 'started' then
  status = 'started'
  keep('KEEPTTL')
end
${end}`;

/** KEYS record, halt mark. ARGV token, what is stored, until when. */
export const complete = `${own('held')}
status, owner, stored = 'settled', '""', ARGV[2]
keep('PXAT', ARGV[3])
${end}`;

/** KEYS record, halt mark. ARGV token, `try` or `nothing`, how long an unfinished one is kept, what the try was told. */
export const release = `${own('lost')}
if ARGV[2] == 'try' then tries = tries + 1 end
status, token, owner, stored = 'released', '-', '""', ARGV[4]
if tonumber(tries) == 0 and tonumber(strikes) == 0 then
  redis.call('DEL', KEYS[1])
else
  keep('PX', ARGV[3])
end
${end}`;

/** KEYS halt mark. ARGV until when: a mark only ever lasts longer. */
export const halt = `
if redis.call('PEXPIRETIME', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PXAT', ARGV[1]) end
return 'held'
`;

/**
 * KEYS the stored mark. ARGV a random one for a store that has none. With it go the server's run, the history of
 * writes it stands for, and how many keys it has evicted: if any differs, something may have been forgotten.
 */
export const generation = `
local mark = redis.call('GET', KEYS[1])
if not mark then
  mark = ARGV[1]
  redis.call('SET', KEYS[1], mark)
end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local history = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
local evicted = string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)')
if not (run and history and evicted) then return redis.error_reply('FOLDMESH INFO does not say which server this is') end
return redis.sha1hex(table.concat({ mark, run, history, evicted }, '/'))
`;
