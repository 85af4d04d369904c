import { TooManyRequestsError } from '../../../errors.ts'

/** Bounds how many answers are made for a person at once. @param running how many are being made for them now */
export function createAnswerRoom(mostPerUser: number, running: (userId: string) => number) {
  /** Answers that are about to begin, by person. */
  const reserved = new Map<string, number>()

  return {
    /**
     * Keeps room for an answer that is about to begin, until it runs or is given up.
     * @throws TooManyRequestsError when the person has many answers made at once.
     */
    reserve(userId: string): Disposable {
      const reservations = reserved.get(userId) ?? 0
      if (running(userId) + reservations >= mostPerUser) {
        throw new TooManyRequestsError('Many answers are being made for you at once. Wait until some have ended.', {
          retryAfterSeconds: 5,
        })
      }
      reserved.set(userId, reservations + 1)
      return {
        [Symbol.dispose]() {
          const left = (reserved.get(userId) ?? 1) - 1
          if (left > 0) reserved.set(userId, left)
          else reserved.delete(userId)
        },
      }
    },
  }
}
