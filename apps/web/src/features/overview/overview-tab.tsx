import { useQueryClient } from '@tanstack/react-query'
import { useUserEvents } from '../../lib/events.ts'
import { OverviewCards } from './overview-cards.tsx'
import { refreshOverview } from './overview-queries.ts'
import { QuickActions } from './quick-actions.tsx'
import { RecentActivity } from './recent-activity.tsx'
import { SystemHealth } from './system-health.tsx'
import { WelcomeBanner } from './welcome-banner.tsx'

/** The Overview tab: the user's figures, where to go next, what happened last, and whether everything works. */
export function OverviewTab() {
  const queryClient = useQueryClient()
  useUserEvents((event) => {
    if (event.type === 'chat.updated' || event.type === 'events.resumed') void refreshOverview(queryClient)
  })

  return (
    <div className="flex flex-col gap-6">
      <WelcomeBanner />
      <OverviewCards />
      <QuickActions />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <RecentActivity />
        <SystemHealth />
      </div>
    </div>
  )
}
