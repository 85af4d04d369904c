import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { resetClocks, setClockBack } from '../../../test/clocks.ts'
import { runAsUser } from '../../platform/lib/current-user.ts'
import { createMathEngine } from './math.ts'

const math = createMathEngine({ timeoutMs: 3_000 })
afterAll(() => math.close())
afterEach(resetClocks)

const evaluate = (expression: string) => math.solve({ kind: 'expression', expression })

describe('expressions', () => {
  test.each([
    ['2^200', '1606938044258990275541962092341162602522202993782792835301376'],
    ['0.1 + 0.2', '0.3'],
    ['80 + 15%', '92'],
    ['5 miles to km', '8.04672 km'],
    ['100 km/h to mph', '62.137119223733 mph'],
    ['1 / 3', '0.33333333333333'],
    ['gcd(1071, 462)', '21'],
  ])('%s is %s', async (expression, result) => {
    expect(await evaluate(expression)).toMatchObject({ kind: 'value', result })
  })

  test('shows intermediate steps', async () => {
    expect(await evaluate('(2+3)*4 - 5/2')).toEqual({
      kind: 'value',
      result: '17.5',
      isExact: true,
      steps: ['2 + 3 = 5', '(2 + 3) * 4 = 20', '5 / 2 = 2.5', '(2 + 3) * 4 - 5 / 2 = 17.5'],
    })
  })

  test.each([
    '9^9^9^9',
    '100000!',
    '1/0',
    'zeros(10000, 10000)',
    'import({a: 1})',
    'evaluate("1")',
    'config({number: "number"})',
    'cos.constructor("return process")()',
    'f(x) = f(x)',
    '"text"',
    'process',
  ])('refuses %s with a reason', async (expression) => {
    await expect(evaluate(expression)).rejects.toMatchObject({ status: 400, code: 'calculation_refused' })
  })

  test('stops a calculation that takes too long, without affecting another engine', async () => {
    const shortTimeoutMath = createMathEngine({ timeoutMs: 1 })
    const slow = Array.from({ length: 200 }, (_, n) => `isPrime(2^61 - ${2 * n + 1})`).join(' + ')
    await expect(
      shortTimeoutMath.solve({ kind: 'expression', expression: `(${slow}) * 1`.slice(0, 1_990) }),
    ).rejects.toMatchObject({
      status: 400,
    })
    await shortTimeoutMath.close()
    expect(await evaluate('1 + 1')).toMatchObject({ result: '2' })
  })

  test('rejects when the caller has aborted', async () => {
    const controller = new AbortController()
    controller.abort()
    await expect(math.solve({ kind: 'expression', expression: '1+1' }, controller.signal)).rejects.toThrow()
  })

  test('evaluates after calculations were aborted while the engine started', async () => {
    const starting = createMathEngine()
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController()
      const tasks = Array.from({ length: 20 }, () =>
        starting.solve({ kind: 'expression', expression: '1+1' }, controller.signal),
      )
      controller.abort()
      for (const { reason } of (await Promise.allSettled(tasks)) as PromiseRejectedResult[]) {
        expect(reason).toMatchObject({ code: 'calculation_stopped' })
      }
    }
    expect(await starting.solve({ kind: 'expression', expression: '1+1' })).toMatchObject({ result: '2' })
    await starting.close()
  })
})

describe('equations', () => {
  test.each([
    ['x^2 - 5x + 6', '0', ['3', '2'], true],
    ['2x + 3', '11', ['4'], true],
    ['x^2 + 1', '0', ['i', '-i'], true],
    ['2^x', '8', ['3'], false],
    ['1/x', '4', ['0.25'], false],
  ])('%s = %s', async (left, right, roots, isExact) => {
    expect(await math.solve({ kind: 'equation', left, right })).toMatchObject({ kind: 'roots', roots, isExact })
  })

  test('refuses two unknowns by name', async () => {
    await expect(math.solve({ kind: 'equation', left: 'x + y', right: '2' })).rejects.toThrow(
      'more than one unknown: x, y',
    )
  })
})

test('computes statistics of a list of numbers', async () => {
  expect(await math.solve({ kind: 'statistics', numbers: ['3', '4', '5.5', '-2'] })).toEqual({
    kind: 'statistics',
    count: 4,
    sum: '10.5',
    mean: '2.625',
    median: '3.5',
    minimum: '-2',
    maximum: '5.5',
    standardDeviation: '3.25',
  })
})

test('a user who floods the calculator delays nobody else and has to pause after a while', async () => {
  const engine = createMathEngine({ timeoutMs: 1_000 })
  const slow = Array.from({ length: 80 }, (_, n) => `bellNumbers(${450 - n})`).join(' + ')
  const solve = (user: string, expression: string) =>
    runAsUser(user, () => engine.solve({ kind: 'expression', expression }))
  await Promise.all(['bob', 'eve'].map((user) => solve(user, '1 + 1')))
  const outcomes: string[] = []
  const flood = Array.from({ length: 8 }, () =>
    solve('eve', slow)
      .catch(({ code }: { code: string }) => code)
      .then((outcome) => outcomes.push(String(outcome))),
  )
  expect(await solve('bob', '12 * 12')).toMatchObject({ result: '144' })
  expect(outcomes.length).toBeLessThan(8)
  await Promise.all(flood)
  expect(outcomes).toEqual([...Array(3).fill('calculation_too_large'), ...Array(5).fill('busy')])
  await expect(solve('eve', '1 + 1')).rejects.toMatchObject({ code: 'busy' })
  expect(await solve('bob', '1 + 1')).toMatchObject({ result: '2' })
  setClockBack(30_000)
  expect(await solve('eve', '1 + 1')).toMatchObject({ result: '2' })
  await engine.close()
})

test('tests small numbers for primality and refuses numbers that would take long', async () => {
  const isPrime = (number: string) => math.solve({ kind: 'expression', expression: `isPrime(${number})` })
  expect(await isPrime('7919')).toMatchObject({ result: 'true' })
  for (const number of ['170141183460469231731687303715884105727', '2^61 - 1', '[2^61 - 1]'])
    await expect(isPrime(number)).rejects.toMatchObject({ code: 'calculation_refused' })
})
