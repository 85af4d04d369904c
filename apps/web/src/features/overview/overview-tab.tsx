import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type ClientEvent, useUserEvents } from '../../lib/event-stream.ts'
import { useSoon } from '../../lib/use-soon.ts'
import { FailedItems } from './failed-items.tsx'
import { OverviewCards } from './overview-cards.tsx'
import { refreshOverview } from './overview-queries.ts'
import { OwnWeek } from './own-week.tsx'
import { QuickActions } from './quick-actions.tsx'
import { RecentActivity } from './recent-activity.tsx'
import { SystemHealth } from './system-health.tsx'
import { WelcomeBanner } from './welcome-banner.tsx'

/** Events of the user's activity, on this or another device. */
const telling: ReadonlySet<ClientEvent['type']> = new Set([
  ...(['chat.updated', 'media.updated', 'media.done', 'media.failed', 'effect.progress'] as const),
  ...(['activity.recorded', 'reminder.due', 'account.updated', 'events.resumed'] as const),
])

/** The Overview tab: the user's figures, where to go next, what happened last, and whether everything works; what is due next and what came in is handed in. */
export function OverviewTab({ upNext, cameIn }: { upNext?: ReactNode; cameIn?: ReactNode }) {
  const queryClient = useQueryClient()
  const refreshSoon = useSoon(() => void refreshOverview(queryClient))
  useUserEvents((event) => {
    const isDone = event.type !== 'effect.progress' || event.done === event.total
    if (telling.has(event.type) && isDone) refreshSoon()
  })

  return (
    <div className="flex flex-col gap-6">
      <WelcomeBanner />
      <OverviewCards />
      <QuickActions />
      {upNext}
      <FailedItems />
      {cameIn}
      <OwnWeek />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <RecentActivity />
        <SystemHealth />
      </div>
    </div>
  )
}
