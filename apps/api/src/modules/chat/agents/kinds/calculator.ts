import type { CalculationData, Language } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError, BadRequestError, UnavailableError } from '../../../../errors.ts'
import type { MathAnswer, MathEngine } from '../../../../offline/math/math.ts'
import type { CalendarDay } from '../../../../offline/requests/calculator-dates.ts'
import { type Calculation, readCalculation } from '../../../../offline/requests/calculator-reading.ts'
import english from '../../../../platform/messages/en/calculator.json' with { type: 'json' }
import { colonIn, localeOf, textsIn } from '../../../../platform/messages/texts.ts'
import type { AgentContext, AgentKind, AgentResult } from '../agent-kind.ts'

const DAY_MS = 86_400_000
const SUMMARY_CHARACTERS = 120

/** CalculatorAgent: exact arithmetic, percentages, units, dates, equations and statistics, with steps. */
export function createCalculator({ math }: { math: MathEngine }): AgentKind {
  return {
    name: 'CalculatorAgent',
    description: 'Works out numbers, percentages, units, dates, equations and statistics, and shows the steps.',
    capabilities: ['arithmetic', 'percentages', 'unit conversion', 'date arithmetic', 'equations', 'statistics'],
    intents: ['15% of 80', '5 miles in km', 'days until 24 December', 'solve x^2 - 5x + 6 = 0', 'average of 3, 4, 8'],
    hasSideEffects: false,
    tool: {
      name: 'calculator',
      description:
        'Works out an arithmetic expression, percentage, unit conversion, equation, statistics of a list, or the days until or between dates. Use it whenever a number must be right.',
      parameters: {
        type: 'object',
        properties: {
          input: {
            type: 'string',
            description:
              'The expression or question, such as "(2+3)*4", "15% of 80", "5 miles in km", "days until 24 December". Write decimals with a point and thousands without separators.',
          },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
    requiresParsing: true,
    confidence: (text, caller) => (readCalculation(text, caller) === null ? 0 : 0.95),
    async run(input, caller) {
      const calculation = readCalculation(input, caller)
      if (calculation === null) {
        throw new BadRequestError(textsIn('calculator', caller.language)('notUnderstood'), {
          code: 'not_a_calculation',
        })
      }
      if (calculation.kind !== 'math') return presentDates(calculation, caller)
      try {
        return presentMath(calculation, await math.solve(calculation.task, caller.signal), caller)
      } catch (error) {
        throw localize(error, caller.language)
      }
    },
  }
}

/** Message keys of the engine's refusals, by the engine's English text. */
const refusals = new Map(
  (Object.entries(english.refusals) as [keyof typeof english.refusals, string][]).map(([key, text]) => [text, key]),
)

/** Error of the engine, translated into the caller's language if it's a known refusal. */
function localize(error: unknown, language: Language): unknown {
  if (!(error instanceof AppError)) return error
  const { message, code } = error
  const text = textsIn('calculator', language)
  const refusal = refusals.get(message)
  if (refusal !== undefined) {
    const Kind = error instanceof UnavailableError ? UnavailableError : BadRequestError
    return new Kind(text(`refusals.${refusal}`), { code, cause: error })
  }
  // The library's message about an expression isn't a sentence.
  const isRaw = code === 'calculation_refused' && (language !== 'en' || !message.endsWith('.'))
  return isRaw ? new BadRequestError(text('refused', { reason: message }), { code, cause: error }) : error
}

/** Structured result; exact and without steps unless stated. */
function dataOf(
  fields: Pick<CalculationData, 'form' | 'result' | 'figures'> & Partial<CalculationData>,
): CalculationData {
  return { kind: 'calculation', question: '', is_exact: true, steps: [], ...fields }
}

function toDate({ year, month, day }: CalendarDay): Date {
  return new Date(Date.UTC(year, month - 1, day))
}

function isoDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

function presentDates(calculation: Exclude<Calculation, { kind: 'math' }>, { language }: AgentContext): AgentResult {
  const text = textsIn('calculator', language)
  const format = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'full', timeZone: 'UTC' })
  const from = toDate(calculation.from)
  if (calculation.kind === 'day-at') {
    const day = new Date(from.getTime() + calculation.days * DAY_MS)
    if (Number.isNaN(day.getTime())) throw new BadRequestError(text('notUnderstood'), { code: 'not_a_calculation' })
    const result = format.format(day)
    const step = `${format.format(from)} ${calculation.days < 0 ? '−' : '+'} ${text('days', { count: Math.abs(calculation.days) })}`
    return {
      output: `**${result}**\n\n${step}`,
      summary: result,
      data: dataOf({ form: 'date', result, steps: [step], figures: [{ name: 'date', value: isoDay(day) }] }),
    }
  }
  const to = toDate(calculation.to)
  const days = Math.round((to.getTime() - from.getTime()) / DAY_MS)
  const steps = [text('fromTo', { from: format.format(from), to: format.format(to) })]
  const count = Math.abs(days)
  const remainingDays = count % 7 === 0 ? '' : ` ${text('and')} ${text('days', { count: count % 7 })}`
  const inWeeks = `${text('weeks', { count: Math.floor(count / 7) })}${remainingDays}`
  if (count >= 14) steps.push(`${text('days', { count })} = ${inWeeks}`)
  const headline = calculation.isInWeeks && count >= 7 ? inWeeks : text('days', { count: days })
  return {
    output: `**${headline}**\n\n${listOf(steps)}`,
    summary: headline,
    data: dataOf({
      form: 'days',
      result: headline,
      steps,
      figures: [
        { name: 'days', value: String(days) },
        { name: 'from', value: isoDay(from) },
        { name: 'to', value: isoDay(to) },
      ],
    }),
  }
}

/** A number with the language's decimal separator and all its digits; other text as is. */
function withLocalDecimal(number: string, language: Language): string {
  return language === 'en' ? number : number.replace(/(?<=\d)\.(?=\d)/g, ',')
}

function listOf(lines: string[]): string {
  return lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')
}

function escapeMarkdown(text: string): string {
  return text.replace(/[*_`[\]\\]/g, '\\$&')
}

function presentMath(
  { task, figure }: Extract<Calculation, { kind: 'math' }>,
  answer: MathAnswer,
  { language }: AgentContext,
): AgentResult {
  const text = textsIn('calculator', language)
  if (answer.kind === 'statistics') {
    const rows = (['mean', 'median', 'sum', 'minimum', 'maximum', 'standardDeviation'] as const)
      .map((name) => ({ name, value: answer[name] }))
      .filter((row): row is { name: typeof row.name; value: string } => row.value !== null)
    const requested = rows.find(({ name }) => name === figure)
    const table = [
      `| ${text('count')} | ${answer.count} |`,
      '|---|---|',
      ...rows.map(({ name, value }) => `| ${text(name)} | ${withLocalDecimal(value, language)} |`),
    ].join('\n')
    const headline = requested
      ? `${text(requested.name)}${colonIn(language)} ${withLocalDecimal(requested.value, language)}`
      : `${text('count')}${colonIn(language)} ${answer.count}`
    const figures = [{ name: 'count', value: String(answer.count) }, ...rows]
    return {
      output: requested ? `**${headline}**\n\n${table}` : table,
      summary: headline,
      data: dataOf({ form: 'statistics', result: headline, figures }),
    }
  }
  if (answer.kind === 'roots') {
    const roots = answer.roots.map((root) => `${answer.unknown} = ${withLocalDecimal(root, language)}`)
    const approximation = answer.isExact ? '' : ` (${text('approximately')})`
    const headline = roots.join(', ')
    return {
      output: `**${escapeMarkdown(headline)}**${approximation}\n\n${listOf(answer.steps)}`,
      summary: cutText(`${text('solutions')}${colonIn(language)} ${headline}`, SUMMARY_CHARACTERS),
      data: dataOf({
        form: 'roots',
        question: task.kind === 'equation' ? `${task.left} = ${task.right}` : '',
        result: headline,
        is_exact: answer.isExact,
        steps: answer.steps,
        figures: answer.roots.map((value) => ({ name: answer.unknown, value })),
      }),
    }
  }
  const question = task.kind === 'expression' ? task.expression : ''
  const sign = answer.isExact || !/^-?[\d.]+$/.test(answer.result) ? '=' : '≈'
  const result = withLocalDecimal(answer.result, language)
  const steps = answer.steps.length > 1 ? `\n\n${listOf(answer.steps)}` : ''
  return {
    output: `${escapeMarkdown(question)} ${sign} **${escapeMarkdown(result)}**${steps}`,
    summary: cutText(`${sign} ${result}`, SUMMARY_CHARACTERS),
    data: dataOf({
      form: 'value',
      question,
      result,
      is_exact: sign === '=',
      steps: answer.steps,
      figures: [{ name: 'result', value: answer.result }],
    }),
  }
}
