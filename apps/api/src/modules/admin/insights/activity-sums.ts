import { type ClassCounts, unpackCount, unpackKey, type useKinds } from './hour-rows.ts'

/** Number of uses by feature, for everyone or one user. */
export interface Uses {
  chat: number
  upload: number
  agents: number
  search: number
  effects: number
}

/** Uses of a whole period. */
export interface Sums extends Uses {
  /** Successful uses; interrupted ones count neither here nor in `failed`. */
  completed: number
  failed: number
}

/** Uses of one hour. */
export interface HourFigures extends Uses {
  hour: Date
  /** Number of distinct users. */
  users: number
}

/** Durations in a period, as the number of durations in each class. */
export interface PeriodTimes {
  response: ClassCounts
  first_token: ClassCounts
  ingestion: ClassCounts
}

/** Uses in a period. */
export interface PeriodFigures {
  /** Hours with uses, unsorted. */
  hours: HourFigures[]
  sums: Sums
  times: PeriodTimes
  sessions: SessionFigures
}

/** Conversations that were used in a period. */
interface SessionFigures {
  count: number
  /** Average time of use; null when there were no conversations. */
  averageSeconds: number | null
  /** True when the conversation was used in the period. */
  has(sessionId: string): boolean
}

/** Sums of a day or an hour for one kind of use. */
export interface SumRow {
  begin: Date
  /**
   * Kind of the sums: a kind of use; `ingestion` for the processing of uploads; `session` for conversations alone; or empty for
   * the number of distinct users per hour, over all kinds of use.
   */
  kind: string
  /** Packed pairs (see `packSql`): number of hours since `begin`, and count in that hour. */
  hours: number[]
  completed: number
  failed: number
  duration_classes: number[]
  first_token_classes: number[]
  /** Concatenated ids of conversations. */
  session_ids: Buffer | null
  session_ms: number
}

const HOUR_MS = 60 * 60 * 1000
const ID_BYTES = 16
const noUses: Uses = { chat: 0, upload: 0, agents: 0, search: 0, effects: 0 }
const usesOfKind: Record<(typeof useKinds)[number], keyof Uses> = {
  chat: 'chat',
  upload: 'upload',
  agent: 'agents',
  search: 'search',
  effect: 'effects',
}

/** Adds up the rows of a period. @param options.isOneUser true for rows of one user, false for rows of everybody. */
export function addUp(rows: readonly SumRow[], { isOneUser }: { isOneUser: boolean }): PeriodFigures {
  const hours = new Map<number, HourFigures>()
  const sums: Sums = { ...noUses, completed: 0, failed: 0 }
  const times = {
    response: new Map<number, number>(),
    first_token: new Map<number, number>(),
    ingestion: new Map<number, number>(),
  }
  const hourAt = (begin: number): HourFigures => {
    const hour = hours.get(begin) ?? { hour: new Date(begin), users: 0, ...noUses }
    hours.set(begin, hour)
    return hour
  }
  const sessions = new Set<string>()
  let sessionMs = 0
  for (const row of rows) {
    const ids = row.session_ids
    for (let index = 0; ids !== null && index < ids.length; index += ID_BYTES)
      sessions.add(ids.toString('latin1', index, index + ID_BYTES))
    sessionMs += row.session_ms
    if (row.kind === 'ingestion') {
      addCounts(times.ingestion, row.duration_classes)
      continue
    }
    if (row.kind === 'chat') {
      addCounts(times.response, row.duration_classes)
      addCounts(times.first_token, row.first_token_classes)
    }
    const use = usesOfKind[row.kind as keyof typeof usesOfKind] as keyof Uses | undefined
    if (use !== undefined) {
      sums.completed += row.completed
      sums.failed += row.failed
    }
    const begin = row.begin.getTime()
    for (const packed of row.hours) {
      const hour = hourAt(begin + unpackKey(packed) * HOUR_MS)
      const useCount = unpackCount(packed)
      if (use === undefined) hour.users += useCount
      else {
        hour[use] += useCount
        sums[use] += useCount
        if (isOneUser) hour.users = 1
      }
    }
  }
  return {
    hours: [...hours.values()],
    sums,
    times,
    sessions: {
      count: sessions.size,
      averageSeconds: sessions.size === 0 ? null : sessionMs / sessions.size / 1000,
      has: (id) => sessions.has(Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')),
    },
  }
}

function addCounts(counts: Map<number, number>, packed: readonly number[]): void {
  for (const pair of packed) {
    const timeClass = unpackKey(pair)
    counts.set(timeClass, (counts.get(timeClass) ?? 0) + unpackCount(pair))
  }
}
