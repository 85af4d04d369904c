import type { CalculationData } from '@mira/shared'
import { useText } from '../../../lib/i18n.ts'

const knownFigures = ['count', 'sum', 'mean', 'median', 'minimum', 'maximum', 'standardDeviation'] as const

/** A figure about a list of numbers; the others are the unknowns of equations. */
function isKnownFigure(name: string): name is (typeof knownFigures)[number] {
  return knownFigures.some((one) => one === name)
}

/** A result and how it was found. */
export function CalculationResult({ calculation }: { calculation: CalculationData }) {
  const text = useText('agents')
  const { question, result, is_exact: isExact, steps, figures } = calculation
  return (
    <div className="flex min-w-0 flex-col gap-3 rounded-card border border-border bg-surface-raised p-4">
      <p className="text-20 font-semibold break-words tabular-nums">
        {question !== '' && <span className="font-normal text-muted">{question} </span>}
        {question !== '' && <span className="font-normal text-muted">{isExact ? '= ' : '≈ '}</span>}
        {result}
      </p>
      {figures.length > 0 && (
        <dl className="grid gap-x-6 gap-y-1 text-14 sm:grid-cols-2">
          {figures.map(({ name, value }) => (
            <div key={`${name} ${value}`} className="flex justify-between gap-3 border-b border-border py-1">
              <dt className="text-muted">{isKnownFigure(name) ? text(`calculation.figures.${name}`) : name}</dt>
              <dd className="font-medium break-all tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {steps.length > 1 && (
        <section aria-label={text('calculation.steps')}>
          <h3 className="text-13 font-medium text-muted">{text('calculation.steps')}</h3>
          <ol className="mt-1 list-decimal pl-5 font-mono text-13">
            {steps.map((step, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps never move, and may be equal
              <li key={index} className="break-words">
                {step}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}
