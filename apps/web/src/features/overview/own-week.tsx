import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { fetchOwnSummaries } from '../../api/automation.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { useSettings } from '../../lib/settings.ts'
import { Card, CardHeader } from '../../ui/card.tsx'

const figureNames = ['messages', 'uploads', 'searches', 'agent_calls'] as const
const highlightKinds = ['asked', 'added', 'found'] as const

const ownWeekQuery = (language: string) =>
  queryOptions({
    queryKey: ['overview', 'own-week', language],
    queryFn: ({ signal }) => fetchOwnSummaries(signal),
    staleTime: 60_000,
  })

/** The person's last week in words and figures, each with a way to what is behind it; nothing until there is one. */
export function OwnWeek() {
  const text = useText('overview')
  const format = useFormat()
  const { language } = useSettings()
  const [summary] = useQuery(ownWeekQuery(language)).data?.summaries ?? []
  if (summary === undefined) return null
  const { figures, highlights } = summary
  return (
    <Card>
      <CardHeader
        title={text('week.title')}
        description={text(summary.is_so_far ? 'week.weekSoFar' : 'week.week', {
          date: format.date(`${summary.week_start}T12:00:00Z`),
          time: format.dateTime(summary.generated_at),
        })}
      />
      <p className="text-14">{summary.summary_text}</p>
      <dl className="mt-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figureNames.map((name) => {
          const figure = figures.find((one) => one.name === name)
          return (
            figure && (
              <div key={name} className="min-w-0">
                <dt className="text-13 text-muted">{text(`week.figures.${name}`)}</dt>
                <dd className="text-20 font-semibold tabular-nums">
                  <Link to={figure.link} className="hover:underline">
                    {format.number(figure.value)}
                  </Link>
                </dd>
              </div>
            )
          )
        })}
      </dl>
      {highlights.length > 0 && (
        <div className="mt-4 grid gap-4 text-14 sm:grid-cols-3">
          {highlightKinds.map((kind) => {
            const ofKind = highlights.filter((one) => one.kind === kind)
            return (
              ofKind.length > 0 && (
                <div key={kind} className="min-w-0">
                  <h3 className="text-13 text-muted">{text(`week.${kind}`)}</h3>
                  <ul className="mt-1 flex flex-col gap-1">
                    {ofKind.map(({ title, link }) => (
                      <li key={link} className="truncate">
                        <Link to={link} className="hover:underline">
                          {title}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </div>
              )
            )
          })}
        </div>
      )}
    </Card>
  )
}
