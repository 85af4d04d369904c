import type { SystemOverviewJson } from '@mira/shared'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'

/** Result of the last check that search finds known items in users' memories. */
export function KnownItems({ trial }: { trial: SystemOverviewJson['known_items'] }) {
  const text = useText('system-admin')
  const format = useFormat()
  const arms = trial
    ? ([
        ['words', trial.words],
        ['meaning', trial.meaning],
      ] as const)
    : []
  return (
    <Card>
      <CardHeader title={text('known.title')} description={text('known.text')} level={3} />
      {trial ? (
        <>
          <p className="text-16 font-medium text-pretty">
            {text('known.found', { found: trial.found, asked: trial.asked })}
          </p>
          <p className="mt-0.5 text-13 text-muted">
            {text.rich('known.measured', { time: () => <RelativeTime moment={trial.measured_at} /> })}
          </p>
          <dl className="mt-3 flex flex-col divide-y divide-border">
            {arms.map(([name, figures]) => (
              <div key={name} className="flex items-baseline justify-between gap-4 py-2.5 last:pb-0">
                <dt className="text-14">{text(`known.${name}`)}</dt>
                <dd className="text-right text-14 text-muted tabular-nums">
                  {figures
                    ? `${text('known.of', { found: figures.found, asked: figures.asked })} · ${format.percent((100 * figures.found) / figures.asked, 0)}`
                    : text('known.noEngine')}
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p className="text-14 text-pretty text-muted">{text('known.none')}</p>
      )}
    </Card>
  )
}
