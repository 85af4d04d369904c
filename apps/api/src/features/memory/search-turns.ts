import { TooManyRequestsError, UnavailableError } from '../../errors.ts'

export interface SearchTurnsLimits {
  /** Searches of one person at the same time. */
  perUser: number
  /** Most that go on at once. */
  inAll: number
  /** Most of one person that wait for their turn. */
  waitingPerUser: number
  /** Most of all people together that wait. */
  waitingInAll: number
}

/**
 * Does a search of a person when its turn comes.
 * @throws TooManyRequestsError, UnavailableError when too many wait already.
 */
export type TakeSearchTurn = <T>(userId: string, search: () => Promise<T>) => Promise<T>

/** Lets a few searches be done at once, so that one person leaves room for others, and all of them for everything else. */
export function createSearchTurns(limits: SearchTurnsLimits): TakeSearchTurn {
  const { perUser, inAll, waitingPerUser, waitingInAll } = limits
  const running = new Map<string, number>()
  const waiting: { userId: string; begin: () => void }[] = []
  let runningInAll = 0

  const isFree = (userId: string) => runningInAll < inAll && (running.get(userId) ?? 0) < perUser

  const enter = (userId: string) => {
    runningInAll++
    running.set(userId, (running.get(userId) ?? 0) + 1)
  }

  const leave = (userId: string) => {
    runningInAll--
    const left = (running.get(userId) ?? 1) - 1
    if (left === 0) running.delete(userId)
    else running.set(userId, left)
    const next = waiting.findIndex((one) => isFree(one.userId))
    const [turn] = next === -1 ? [] : waiting.splice(next, 1)
    if (!turn) return
    enter(turn.userId)
    turn.begin()
  }

  const wait = (userId: string) => {
    if (waiting.filter((one) => one.userId === userId).length >= waitingPerUser) {
      throw new TooManyRequestsError(
        `Let at most ${perUser + waitingPerUser} searches be under way at the same time.`,
        {
          code: 'busy',
          retryAfterSeconds: 2,
        },
      )
    }
    if (waiting.length >= waitingInAll) {
      throw new UnavailableError('Too many searches are under way right now. Try again in a moment.', {
        code: 'busy',
        retryAfterSeconds: 5,
      })
    }
    return new Promise<void>((begin) => waiting.push({ userId, begin }))
  }

  return async (userId, search) => {
    if (isFree(userId)) enter(userId)
    else await wait(userId)
    try {
      return await search()
    } finally {
      leave(userId)
    }
  }
}
