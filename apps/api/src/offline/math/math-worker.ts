// Runs mathjs off the event loop. Input is untrusted; functions that could reach the process are removed.
import { parentPort } from 'node:worker_threads'
import { all, type BigNumber, type ConfigOptions, create, type MathNode } from 'mathjs'
import type { FromMathWorker, MathAnswer, MathTask } from './math.ts'

const MAX_EXPRESSION_CHARACTERS = 2_000
const MAX_RESULT_CHARACTERS = 4_000
const MAX_STEPS = 12
const MAX_ROOTS = 10
/** Significant digits shown of fractions; integers are shown in full. */
const SHOWN_DIGITS = 14
/** Precision for integers. The library's units need as many digits of pi, and the library has no more of them. */
const EXACT_DIGITS = 1_000
const REAL_DIGITS = 40
/** 450! is the largest factorial with at most 1000 digits. */
const LARGEST_FACTORIAL = 450
/** Larger numbers aren't tested for primality: trial division would take too long. */
const LARGEST_TESTED_PRIME = 1e10

function createMath(precision: number) {
  const config: ConfigOptions = { number: 'BigNumber', precision }
  const math = create(all ?? {}, config)
  math.createUnit({
    mph: '1 mi/h',
    kph: '1 km/h',
    knot: { definition: '1852 m/h', aliases: ['knots'] },
    cal: { definition: '4.184 J', prefixes: 'short' },
    calorie: { definition: '4.184 J', prefixes: 'long', aliases: ['calories'] },
  })
  const evaluate = math.evaluate.bind(math)
  const parse = math.parse.bind(math)
  const rationalize = math.rationalize.bind(math)
  const refuse = (name: string) => () => {
    throw new Error(`${name} isn’t available here.`)
  }
  // Functions named on mathjs's security page, and ones that may never end.
  const disabled = [
    'import',
    'createUnit',
    'reviver',
    'evaluate',
    'parse',
    'simplify',
    'derivative',
    'resolve',
    'parser',
  ]
  const isSmallPrime = math.isPrime.bind(math) as (value: unknown) => boolean
  const isPrime = (value: unknown) => {
    if (!(Number(value) <= LARGEST_TESTED_PRIME)) throw new Error('The number is too large to test.')
    return isSmallPrime(value)
  }
  math.import({ ...Object.fromEntries(disabled.map((name) => [name, refuse(name)])), isPrime }, { override: true })
  return { math, evaluate, parse, rationalize }
}

const exact = createMath(EXACT_DIGITS)
const real = createMath(REAL_DIGITS)

/** Functions and constants that take seconds with a thousand digits, so expressions with them are evaluated with forty. */
const realNames =
  /\b(sqrt|cbrt|nthRoot|sin|cos|tan|sec|csc|cot|asin|acos|atan|atan2|sinh|cosh|tanh|exp|log|log2|log10|ln|gamma|pi|e|tau|phi|erf|pow|norm|std|variance)\b/i

function chooseMath(expression: string) {
  const hasFractionalPower = /\^\s*\(?-?\d*\.\d/.test(expression) || /\^\s*\(/.test(expression)
  return realNames.test(expression) || hasFractionalPower ? real : exact
}

/** Rejects powers and factorials with too many digits before they're computed, and programs, such as assignments. @throws Error */
function requireComputable(node: MathNode): void {
  const sizeOf = (part: MathNode): number => {
    const value = Number(real.evaluate(part.toString()))
    return Number.isFinite(value) ? Math.abs(value) : Number.POSITIVE_INFINITY
  }
  node.traverse((part) => {
    if (part.type === 'OperatorNode') {
      const { op, args } = part as MathNode & { op: string; args: MathNode[] }
      const [left, right] = args
      if (op === '^' && left && right && isConstant(left) && isConstant(right)) {
        const digits = sizeOf(right) * Math.max(1, Math.log10(Math.max(2, sizeOf(left))))
        if (!(digits <= EXACT_DIGITS)) throw new Error('The result has too many digits.')
      }
      if (op === '!' && left && isConstant(left) && sizeOf(left) > LARGEST_FACTORIAL)
        throw new Error('The result has too many digits.')
    }
    if (part.type === 'FunctionNode') {
      const { fn, args } = part as MathNode & { fn: { name?: string }; args: MathNode[] }
      const bounded = ['factorial', 'gamma', 'permutations', 'combinations', 'bellNumbers', 'catalan', 'stirlingS2']
      if (fn.name !== undefined && bounded.includes(fn.name)) {
        for (const argument of args) {
          if (isConstant(argument) && sizeOf(argument) > LARGEST_FACTORIAL)
            throw new Error('The result has too many digits.')
        }
      }
      if (['zeros', 'ones', 'identity', 'range', 'random', 'randomInt', 'pickRandom', 'matrix'].includes(fn.name ?? ''))
        throw new Error(`${fn.name} isn’t available here.`)
    }
    if (
      [
        'RangeNode',
        'FunctionAssignmentNode',
        'AssignmentNode',
        'BlockNode',
        'AccessorNode',
        'IndexNode',
        'ObjectNode',
      ].includes(part.type)
    )
      throw new Error('Only expressions can be calculated, not programs.')
  })
}

function isConstant(node: MathNode): boolean {
  return node.filter((part) => part.type === 'SymbolNode').length === 0
}

function isWhole(value: unknown): value is BigNumber {
  return real.math.isBigNumber(value) && value.isInteger()
}

/** True when `show` displays a number without dropping digits. */
function isShownExactly(value: unknown): boolean {
  return isWhole(value) || (real.math.isBigNumber(value) && value.precision() <= SHOWN_DIGITS)
}

function show(value: unknown): string {
  if (isWhole(value) || (exact.math.isBigNumber(value) && value.isInteger())) {
    const digits = (value as BigNumber).toFixed(0)
    if (digits.length > EXACT_DIGITS) throw new Error('The result has too many digits.')
    return digits
  }
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'function' || typeof value === 'string' || value === undefined || value === null)
    throw new Error('This isn’t a calculation.')
  const text = real.math.format(value, { precision: SHOWN_DIGITS, lowerExp: -9, upperExp: 15 })
  if (/\b(NaN|Infinity)\b/.test(text)) throw new Error('This has no finite result (a division by zero?).')
  if (text.length > MAX_RESULT_CHARACTERS) throw new Error('The result is too long.')
  return text
}

/** Intermediate results of an expression, innermost first. */
function stepsOf(node: MathNode, tools: typeof exact): string[] {
  const steps: string[] = []
  const visit = (part: MathNode) => {
    part.forEach(visit)
    const isOperation = part.type === 'OperatorNode' || part.type === 'FunctionNode'
    if (!isOperation || steps.length >= MAX_STEPS) return
    const text = part.toString({ parenthesis: 'auto' })
    const result = show(tools.evaluate(part.toString()))
    const step = `${text} = ${result}`
    const isTrivial = text === result || text.replaceAll('(', '').replaceAll(')', '') === result || isUnitOnly(part)
    if (!isTrivial && !steps.includes(step) && step.length <= 300) steps.push(step)
  }
  visit(node)
  return steps
}

/** True for quantities such as `5 miles` and `km / h`, which compute nothing. */
function isUnitOnly(node: MathNode): boolean {
  const isNumber = (part: MathNode) => part.type === 'ConstantNode'
  const hasUnit = node.filter((part) => part.type === 'SymbolNode').length > 0
  return (
    hasUnit &&
    node.type === 'OperatorNode' &&
    node.filter(isNumber).length <= 1 &&
    !/[+^]| - | to /.test(node.toString())
  )
}

function evaluateExpression(expression: string): MathAnswer {
  const tools = chooseMath(expression)
  const node = tools.parse(expression)
  requireComputable(node)
  const value = tools.evaluate(expression)
  const result = show(value)
  let steps: string[] = []
  try {
    steps = stepsOf(node, tools)
  } catch {
    // Part of a valid expression may be invalid alone (the unit of a conversion): then only the result is shown.
  }
  return { kind: 'value', result, isExact: isShownExactly(value), steps }
}

function solveEquation(left: string, right: string): MathAnswer {
  const difference = `(${left}) - (${right})`
  const node = real.parse(difference)
  requireComputable(node)
  const constants = new Set(['e', 'pi', 'tau', 'phi', 'i'])
  const unknowns = new Set(
    node
      .filter((part, path) => part.type === 'SymbolNode' && path !== 'fn')
      .map((part) => (part as MathNode & { name: string }).name)
      .filter((name) => !constants.has(name)),
  )
  const [unknown] = unknowns
  if (unknown === undefined) throw new Error('The equation has no unknown.')
  if (unknowns.size > 1) throw new Error(`The equation has more than one unknown: ${[...unknowns].join(', ')}.`)
  const coefficients = polynomialCoefficients(difference, unknown)
  if (coefficients !== null) {
    const [constant = 0, linear = 0, square = 0] = coefficients
    const standard = polynomialText(coefficients, unknown)
    const steps = [`${standard} = 0`]
    if (coefficients.length === 3) {
      const discriminant = linear * linear - 4 * square * constant
      steps.push(
        `discriminant = (${show(linear)})^2 - 4 * (${show(square)}) * (${show(constant)}) = ${show(discriminant)}`,
      )
    }
    const roots = [
      ...new Set((real.math.polynomialRoot(...(coefficients as [number, number])) as unknown[]).map(showRoot)),
    ]
    return { kind: 'roots', unknown, roots, isExact: true, steps }
  }
  const roots = numericRoots(difference, unknown)
  if (roots.length === 0) throw new Error('No solution was found between -1000 and 1000.')
  return { kind: 'roots', unknown, roots: roots.map(show), isExact: false, steps: [`${difference} = 0`] }
}

/** `x^2 - 5x + 6`, highest power first. */
function polynomialText(coefficients: number[], unknown: string): string {
  return coefficients
    .map((coefficient, power) => ({ coefficient, power }))
    .filter(({ coefficient }) => coefficient !== 0)
    .reverse()
    .map(({ coefficient, power }, index) => {
      const size = Math.abs(coefficient)
      const sign = coefficient < 0 ? (index === 0 ? '-' : ' - ') : index === 0 ? '' : ' + '
      const factor = size === 1 && power > 0 ? '' : show(size)
      return `${sign}${factor}${power === 0 ? '' : unknown}${power > 1 ? `^${power}` : ''}`
    })
    .join('')
}

function showRoot(root: unknown): string {
  return show(real.math.round(root as number, SHOWN_DIGITS - 2))
}

/** Coefficients of a polynomial of degree 1 to 3, constant first; null for anything else. */
function polynomialCoefficients(expression: string, unknown: string): number[] | null {
  try {
    const { coefficients } = real.rationalize(expression, {}, true) as unknown as { coefficients: unknown[] }
    const numbers = coefficients.map(Number)
    if (numbers.length < 2 || numbers.length > 4 || numbers.some((number) => !Number.isFinite(number))) return null
    // A root of the numerator may be one of the denominator, too: leave rational functions to the numeric search.
    return new RegExp(`/[^+]*\\b${unknown}\\b`).test(expression) ? null : numbers
  } catch {
    return null
  }
}

/** The ten roots nearest to zero between -1000 and 1000, by sign changes and bisection. */
function numericRoots(expression: string, unknown: string): number[] {
  const compiled = create(all ?? {}, { number: 'number' }).compile(expression)
  const valueAt = (x: number): number => {
    const value: unknown = compiled.evaluate({ [unknown]: x })
    return typeof value === 'number' ? value : Number.NaN
  }
  const roots: number[] = []
  const step = 0.25
  let before = valueAt(-1000)
  for (let x = -1000; x < 1000; x += step) {
    const after = valueAt(x + step)
    if (before === 0) roots.push(x)
    else if (before * after < 0) {
      let [low, high] = [x, x + step]
      for (let round = 0; round < 80; round++) {
        const middle = (low + high) / 2
        if (valueAt(low) * valueAt(middle) <= 0) high = middle
        else low = middle
      }
      // The sign also changes at a pole, but the value isn't near zero there.
      if (Math.abs(valueAt(high)) < 1e-6) roots.push(Number(((low + high) / 2).toPrecision(12)))
    }
    before = after
  }
  return roots
    .sort((a, b) => Math.abs(a) - Math.abs(b))
    .slice(0, MAX_ROOTS)
    .sort((a, b) => a - b)
}

function describe(numbers: string[]): MathAnswer {
  const { math } = real
  const values = numbers.map((number) => math.bignumber(number))
  return {
    kind: 'statistics',
    count: values.length,
    sum: show(math.sum(values)),
    mean: show(math.mean(values)),
    median: show(math.median(values)),
    minimum: show(math.min(values)),
    maximum: show(math.max(values)),
    standardDeviation: values.length < 2 ? null : show(math.std(values)),
  }
}

function solve(task: MathTask): MathAnswer {
  const texts =
    task.kind === 'statistics' ? task.numbers : task.kind === 'equation' ? [task.left, task.right] : [task.expression]
  if (
    texts.reduce((sum, text) => sum + text.length, 0) >
    MAX_EXPRESSION_CHARACTERS * (task.kind === 'statistics' ? 50 : 1)
  )
    throw new Error('This calculation is too long.')
  switch (task.kind) {
    case 'expression':
      return evaluateExpression(task.expression)
    case 'equation':
      return solveEquation(task.left, task.right)
    case 'statistics':
      return describe(task.numbers)
  }
}

const port = parentPort
if (port === null) throw new Error('This file is a worker.')
port.on('message', (task: MathTask) => {
  let message: FromMathWorker
  try {
    message = { type: 'answer', answer: solve(task) }
  } catch (error) {
    message = { type: 'refused', reason: error instanceof Error ? error.message : String(error) }
  }
  port.postMessage(message)
})
port.postMessage({ type: 'ready' } satisfies FromMathWorker)
