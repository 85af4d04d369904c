import { useQuery } from '@tanstack/react-query'
import { Activity, Bot, CircleCheck, Percent } from 'lucide-react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Card } from '../../ui/card.tsx'
import { StatCard } from '../../ui/stat-card.tsx'
import { agentsStatusQuery } from './agents-queries.ts'

/** State of all agents on the server; visible to administrators only. */
export function StatusBlock() {
  const text = useText('agents')
  const format = useFormat()
  const query = useQuery(agentsStatusQuery)
  const status = query.data
  if (!status && query.isError) {
    return (
      <Card>
        <LoadFailed query={query} />
      </Card>
    )
  }
  const rate = status?.success_rate ?? null
  return (
    <section aria-labelledby="agents-status">
      <h2 id="agents-status" className="mb-3 text-16 font-semibold">
        {text('system.title')}
      </h2>
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        <StatCard
          label={text('system.total')}
          icon={<Bot />}
          loading={!status}
          value={status ? format.number(status.total_agents) : null}
        />
        <StatCard
          label={text('system.active')}
          icon={<CircleCheck />}
          loading={!status}
          value={status ? format.number(status.active_agents.length) : null}
          explanation={status && status.active_agents.length > 0 ? format.list(status.active_agents) : undefined}
        />
        <StatCard
          label={text('system.requests')}
          icon={<Activity />}
          loading={!status}
          value={status ? format.number(status.total_requests) : null}
          explanation={text('system.everyone')}
        />
        <StatCard
          label={text('system.success')}
          icon={<Percent />}
          loading={!status}
          value={rate === null ? null : format.percent(rate)}
          note={status && rate === null ? text('system.noCalls') : undefined}
          explanation={text(rate === null ? 'system.noCallsYet' : 'system.successOf')}
        />
      </div>
    </section>
  )
}
