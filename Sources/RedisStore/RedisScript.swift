import LayoutSessions

// How sessions are kept, in format 2. The session ABC, of 32 digits, has two keys; the braces have
// Redis Cluster keep both at one place. Both expire at the same time.
//
// layoutd:{ABC}:session, a hash:
//   format           2; or 1, which has no stamps and is served all the same. A server leaves sessions of
//                    another format as they are, unless their owner deletes them.
//   owner            the name of whose it is; empty for nobody's
//   version          the session's version, from 1
//   snapshot         the record of its description
//   snapshotVersion  the version that the snapshot has, from 1 to version
//   snapshotStamp    the stamp of that version, 16 hexadecimal digits
//   scroller         the store through which the last tick was answered: a name of its own, and behind it Redis'
//                    for the history of its data (master_replid). One that was a replica, or has been started
//                    anew, begins another: it may have lost who scrolled last. (So does a master when its
//                    first replica comes, which costs a reset.) As long as it is a replica it may be
//                    behind, and nobody is the scroller
//   takeover         a number that is drawn whenever another store becomes the scroller; not there, and
//                    as good as 0, as long as it is the one that has made the session
// layoutd:{ABC}:changes, a list, which is not there when it is empty:
//   the records of the changes after the snapshot, one for each version: index i made the version
//   snapshotVersion + 1 + i; in front of each the stamp of the version that it made

/// The names of what belongs to a session.
struct RedisKeys {
  let session: String
  let changes: String

  init(_ id: SessionID) {
    let prefix = "layoutd:{\(id)}:"
    session = prefix + "session"
    changes = prefix + "changes"
  }
}

/// What Redis executes in one step: nobody else's command comes between its commands.
///
/// Each compares first and writes afterwards. The first write may be refused (no memory, no right,
/// a replica, a full disk), which is an answer: then nothing has been done. Redis refuses none of
/// the writes after it, so that nothing is half done, but for users who may do the first and not the
/// others: creating and appending then take back what they have done, as far as they may; a new
/// snapshot whose changes may not be deleted makes the session unreadable. Redis puts all of them
/// into its append-only file, and sends them to its replicas, as one transaction.
///
/// They ask nothing of Redis that version 5 had not yet.
enum RedisScript: Int, CaseIterable {
  case create, load, owner, append, replace, replaceSnapshot, delete, touch

  /// What all of them begin with.
  private static let common = """
    local isStamped = false
    local function count(text)
      if text and #text <= 15 and string.match(text, '^[1-9]%d*$') then return tonumber(text) end
      return nil
    end
    local function versions()
      if redis.call('EXISTS', KEYS[1]) == 0 then return nil, {'missing'} end
      local fields = redis.call('HMGET', KEYS[1], 'format', 'version', 'snapshotVersion')
      if fields[1] ~= '1' and fields[1] ~= '2' then return nil, {'format', fields[1] or ''} end
      isStamped = fields[1] == '2'
      local version, first = count(fields[2]), count(fields[3])
      if not version or not first or first > version then return nil, {'versions'} end
      return version, first
    end
    local function loss(version, first)
      local kept = redis.call('LLEN', KEYS[2])
      if kept == version - first then return nil end
      return {'changes', kept, version - first}
    end
    local function stampOf(version, first)
      if not isStamped then return '' end
      if version == first then return redis.call('HGET', KEYS[1], 'snapshotStamp') or '' end
      return string.sub(redis.call('LINDEX', KEYS[2], version - first - 1), 1, 16)
    end
    local function comesFrom(old, stamp, version, first)
      return old >= first and old <= version and (not isStamped or stampOf(old, first) == stamp)
    end
    local function versionAsBefore(number, stamp)
      local version, first = versions()
      if not version then return nil, first end
      local lost = loss(version, first)
      if lost then return nil, lost end
      local old = tonumber(number)
      if old ~= version or not comesFrom(old, stamp, version, first) then
        return nil, {'conflict', version}
      end
      return version
    end
    local function scroller(name)
      local replication = redis.pcall('INFO', 'replication')
      if type(replication) ~= 'string' or not string.find(replication, 'role:master') then return name end
      return name .. (string.match(replication, 'master_replid:(%x+)') or '')
    end
    local function refusal(answer)
      if type(answer) == 'table' and answer.err then return {'refused', answer.err} end
      return nil
    end

    """

  /// What Redis is given.
  var source: String { RedisScript.common + body }

  private var body: String {
    switch self {
    // The owner, the snapshot, the time to live, who asks, the stamp.
    case .create:
      """
      if redis.call('EXISTS', KEYS[1]) == 1 then return {'exists'} end
      local refused = refusal(redis.pcall('HSET', KEYS[1], 'format', '2', 'owner', ARGV[1],
        'version', '1', 'snapshot', ARGV[2], 'snapshotVersion', '1', 'snapshotStamp', ARGV[5],
        'scroller', scroller(ARGV[4])))
      if refused then return refused end
      refused = refusal(redis.pcall('PEXPIRE', KEYS[1], ARGV[3]))
      if refused then
        redis.call('DEL', KEYS[1])
        return refused
      end
      redis.call('DEL', KEYS[2])
      return {'done'}
      """
    // The version that the asker has and its stamp, the time below which to live longer, the time to live;
    // if it is to scroll, who asks, and a number in case it was another one before; and from how many bytes on
    // the snapshot is left out, and its stamp is there instead: to go through Lua takes six times as long, in which
    // Redis has no time for others; and whose it must be: somebody else's is none, of which nothing else is looked at
    // or written. A replica lets nobody live longer, and is read all the same; but whoever is to
    // scroll and cannot be noted is refused: who scrolled before would never learn of it.
    case .load:
      """
      local owner, takeover = redis.call('HGET', KEYS[1], 'owner'), ''
      if owner and owner ~= ARGV[8] then return {'missing'} end
      local version, first = versions()
      if not version then return first end
      local lost = loss(version, first)
      if lost then return lost end
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
        redis.pcall('PEXPIRE', KEYS[1], ARGV[4])
        redis.pcall('PEXPIRE', KEYS[2], ARGV[4])
      end
      if ARGV[5] ~= '' then
        local fields = redis.call('HMGET', KEYS[1], 'scroller', 'takeover')
        takeover = fields[2] or '0'
        local name = scroller(ARGV[5])
        if fields[1] ~= name then
          takeover = ARGV[6]
          local refused = refusal(redis.pcall('HSET', KEYS[1], 'scroller', name,
            'takeover', takeover))
          if refused then return refused end
        end
      end
      local since = tonumber(ARGV[1])
      local comes = since and comesFrom(since, ARGV[2], version, first)
      if comes and since == version then return {'found', version, '', owner, takeover, {}} end
      local found = {'found', version, stampOf(version, first), owner, takeover}
      found[6] = redis.call('LRANGE', KEYS[2], comes and since - first or 0, -1)
      if not comes then
        found[7] = first
        local size = redis.pcall('HSTRLEN', KEYS[1], 'snapshot')
        local stamp = isStamped and redis.call('HGET', KEYS[1], 'snapshotStamp')
        if stamp and type(size) == 'number' and size > tonumber(ARGV[7]) then
          found[8] = {stamp}
        else
          found[8] = redis.call('HGET', KEYS[1], 'snapshot')
        end
      end
      return found
      """
    // Of what is damaged, or of another format, too: its owner may delete it.
    case .owner:
      """
      local owner = redis.call('HGET', KEYS[1], 'owner')
      if owner then return {'owner', owner} end
      return {redis.call('EXISTS', KEYS[1]) == 0 and 'missing' or 'versions'}
      """
    // The version before and its stamp, the new stamp with the record behind it, the time to live.
    case .append:
      """
      local version, answer = versionAsBefore(ARGV[1], ARGV[2])
      if not version then return answer end
      local record = isStamped and ARGV[3] or string.sub(ARGV[3], 17)
      local refused = refusal(redis.pcall('RPUSH', KEYS[2], record))
      if refused then return refused end
      refused = refusal(redis.pcall('PEXPIRE', KEYS[2], ARGV[4]))
        or refusal(redis.pcall('HINCRBY', KEYS[1], 'version', 1))
      if refused then
        redis.call('LTRIM', KEYS[2], 0, -2)
        return refused
      end
      redis.call('PEXPIRE', KEYS[1], ARGV[4])
      return {'done'}
      """
    // The version before and its stamp, the snapshot of the next one, its stamp, the time to live. The first
    // write is all of it but the going of the changes.
    case .replace:
      """
      local version, answer = versionAsBefore(ARGV[1], ARGV[2])
      if not version then return answer end
      local new = string.format('%d', version + 1)
      local refused = refusal(redis.pcall('HSET', KEYS[1], 'version', new, 'snapshot', ARGV[3],
        'snapshotVersion', new, 'snapshotStamp', ARGV[4]))
      if refused then return refused end
      redis.call('DEL', KEYS[2])
      redis.call('PEXPIRE', KEYS[1], ARGV[5])
      return {'done'}
      """
    // The snapshot's version and its stamp, the snapshot.
    case .replaceSnapshot:
      """
      local version, first = versions()
      if not version then return first end
      local lost = loss(version, first)
      if lost then return lost end
      local new = tonumber(ARGV[1])
      if new == first or not comesFrom(new, ARGV[2], version, first) then return {'done'} end
      local refused = refusal(redis.pcall('HSET', KEYS[1], 'snapshot', ARGV[3],
        'snapshotVersion', ARGV[1], 'snapshotStamp', ARGV[2]))
      if refused then return refused end
      redis.call('LTRIM', KEYS[2], new - first, -1)
      return {'done'}
      """
    // The version that it has to be at, or nothing. What cannot be read may be deleted.
    case .delete:
      """
      local version, first = versions()
      if not version and (ARGV[1] ~= '' or first[1] == 'missing') then return first end
      if ARGV[1] ~= '' and version ~= tonumber(ARGV[1]) then return {'conflict', version} end
      local refused = refusal(redis.pcall('DEL', KEYS[1], KEYS[2]))
      if refused then return refused end
      return {'done'}
      """
    // The time to live from now.
    case .touch:
      """
      local version = versions()
      if not version then return {'missing'} end
      if redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[1]) then return {'done'} end
      local refused = refusal(redis.pcall('PEXPIRE', KEYS[1], ARGV[1]))
      if refused then return refused end
      redis.call('PEXPIRE', KEYS[2], ARGV[1])
      return {'done'}
      """
    }
  }
}
