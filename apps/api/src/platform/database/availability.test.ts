import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { EngineError, UnavailableError } from '../../errors.ts'
import {
  DatabaseGoneError,
  isAccountGone,
  isDatabaseConflict,
  isDatabaseUnavailable,
  isTransient,
  openFailureOf,
  retryDuringOutage,
  retryOnConflict,
} from './availability.ts'
import { PrismaClient } from './generated/client.ts'

/** Error of Prisma for a raw statement whose socket fails. */
async function failureOfRawSql(code: string): Promise<unknown> {
  const pool = new pg.Pool()
  const refusal = Object.assign(new Error('x'), { code, syscall: 'connect', errno: -1 })
  vi.spyOn(pool, 'query').mockImplementation(() => Promise.reject(refusal))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: 'minimal' })
  return prisma.$queryRaw`SELECT 1`.catch((error: unknown) => error)
}

const withCode = (code: string) => Object.assign(new Error('x'), { code })

test.each([
  ['the embedded database stopped', new DatabaseGoneError('x')],
  ['nothing listens', withCode('ECONNREFUSED')],
  ['none of several addresses responds', new AggregateError([withCode('EHOSTUNREACH'), withCode('ECONNREFUSED')])],
  ['the server shuts down', withCode('57P01')],
  ['the server starts', withCode('57P03')],
  ['the connection failed', withCode('08006')],
  ['Prisma cannot reach it', withCode('P1001')],
  ['Prisma lost the connection', withCode('P1017')],
  ['the pool is exhausted', withCode('P2024')],
  ['the connection broke', new Error('Connection terminated unexpectedly')],
  ['no connection was free in time', new Error('timeout exceeded when trying to connect')],
  [
    'it is the nested cause of another error',
    new Error('outer', { cause: new Error('inner', { cause: withCode('ECONNRESET') }) }),
  ],
  ['Prisma can’t open a connection for raw SQL', await failureOfRawSql('ECONNREFUSED')],
  ['Prisma lost the connection under raw SQL', await failureOfRawSql('ECONNRESET')],
  ['raw SQL of Prisma timed out', await failureOfRawSql('ETIMEDOUT')],
  [
    'Prisma has the code in its metadata',
    Object.assign(new Error('x'), { meta: { driverAdapterError: { cause: { originalCode: '57P01' } } } }),
  ],
])('unavailable: %s', (_title, error) => {
  expect(isDatabaseUnavailable(error)).toBe(true)
})

const circular: { cause?: unknown } = {}
circular.cause = circular

test.each([
  ['a unique value exists already', withCode('P2002')],
  ['a check fails', withCode('23514')],
  ['a column is missing', withCode('42703')],
  ['a lost connection to another server', new Error('Connection to the model server was lost')],
  ['no error', undefined],
  ['a string', 'ECONNREFUSED'],
  ['a circular cause', circular],
])('not unavailable: %s', (_title, error) => {
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test('a deadlock is a conflict, wherever its code is, and an outage is not', () => {
  const prismaMeta = { driverAdapterError: { cause: { originalCode: '40P01' } } }
  const conflicts = [withCode('40001'), withCode('P2034'), Object.assign(new Error('x'), { meta: prismaMeta })]
  expect(conflicts.map(isDatabaseConflict)).toEqual([true, true, true])
  expect(conflicts.map(isDatabaseUnavailable)).toEqual([false, false, false])
  expect(isDatabaseConflict(withCode('57P01'))).toBe(false)
})

test('conflicts, outages, timeouts and a crash may pass, unlike a full disk and a failing engine', () => {
  const transient = ['40P01', 'P2034', 'P2028', '57014', 'DATABASE_GONE', 'ECONNREFUSED'].map(withCode)
  expect(transient.filter((error) => !isTransient(error))).toEqual([])
  const engineFailure = new UnavailableError('The model server is away.', { cause: withCode('ECONNREFUSED') })
  expect([withCode('53100'), engineFailure].filter(isTransient)).toEqual([])
})

test('work is retried once after a conflict, and not after other errors', async () => {
  const failing = (code: string, times: number) => {
    let count = 0
    return retryOnConflict(async () => {
      count += 1
      if (count <= times) throw withCode(code)
      return count
    })
  }
  expect(await failing('40P01', 1)).toBe(2)
  await expect(failing('40P01', 2)).rejects.toThrow()
  await expect(failing('23505', 1)).rejects.toThrow()
})

test('a deleted account is recognised by the violated foreign key', () => {
  const refused = { code: '23503', constraint: 'chat_sessions_user_id_fkey' }
  expect(isAccountGone(refused)).toBe(true)
  expect(isAccountGone(new Error('outer', { cause: refused }))).toBe(true)
  expect(isAccountGone({ code: '23503', constraint: 'chat_messages_session_id_fkey' })).toBe(false)
  expect(isAccountGone({ code: '23505', constraint: 'chat_sessions_user_id_fkey' })).toBe(false)
})

describe('a read during an outage of the database', () => {
  const { signal } = new AbortController()

  test('is repeated until the database is back', async () => {
    const read = vi.fn().mockRejectedValueOnce(withCode('57P01')).mockResolvedValue('history')
    expect(await retryDuringOutage(read, signal, { pauseMs: 1 })).toBe('history')
  })

  test('fails when the database stays away', async () => {
    const read = vi.fn().mockRejectedValue(withCode('57P01'))
    await expect(retryDuringOutage(read, signal, { pauseMs: 1, patienceMs: 20 })).rejects.toMatchObject({
      code: '57P01',
    })
  })

  test('fails at once when a model server is down or the read is aborted', async () => {
    const modelServerDown = new EngineError('Nobody answers there.', { cause: withCode('ECONNREFUSED') })
    const read = vi.fn().mockRejectedValue(modelServerDown)
    await expect(retryDuringOutage(read, signal)).rejects.toBe(modelServerDown)
    expect(read).toHaveBeenCalledTimes(1)
    const stopped = retryDuringOutage(() => Promise.reject(withCode('57P01')), AbortSignal.abort())
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  })
})

test('a database that can’t be opened on a full disk says that the disk is full', () => {
  const error = new Error('PGlite failed to initialize properly')
  expect(openFailureOf(error, 4096)).toMatch(/^its disk is full\. Free some space/)
  expect(openFailureOf(error, 1e9)).toBe('PGlite failed to initialize properly')
})
