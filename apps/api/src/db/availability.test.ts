import { expect, test } from 'vitest'
import { DatabaseGoneError, isDatabaseUnavailable } from './availability.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })

test.each([
  ['the embedded database stopped', new DatabaseGoneError('x')],
  ['nobody listens', withCode('ECONNREFUSED')],
  ['no address of several answers', new AggregateError([withCode('EHOSTUNREACH'), withCode('ECONNREFUSED')])],
  ['the server shuts down', withCode('57P01')],
  ['the server starts', withCode('57P03')],
  ['the protocol broke', withCode('08006')],
  ['Prisma cannot reach it', withCode('P1001')],
  ['Prisma lost it', withCode('P1017')],
  ['the pool is exhausted', withCode('P2024')],
  ['the connection broke', new Error('Connection terminated unexpectedly')],
  ['no connection was free in time', new Error('timeout exceeded when trying to connect')],
  ['it is the cause of another', new Error('outer', { cause: new Error('inner', { cause: withCode('ECONNRESET') }) })],
  [
    'Prisma keeps it in meta',
    Object.assign(new Error('x'), { meta: { driverAdapterError: { cause: { originalCode: '57P01' } } } }),
  ],
])('unavailable: %s', (_title, error) => {
  expect(isDatabaseUnavailable(error)).toBe(true)
})

const circle: { cause?: unknown } = {}
circle.cause = circle

test.each([
  ['a unique value is there already', withCode('P2002')],
  ['a check fails', withCode('23514')],
  ['a column is missing', withCode('42703')],
  ['something else', new Error('Connection to the model server was lost')],
  ['no error', undefined],
  ['a text', 'ECONNREFUSED'],
  ['a circle', circle],
])('not unavailable: %s', (_title, error) => {
  expect(isDatabaseUnavailable(error)).toBe(false)
})
