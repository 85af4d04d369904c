import { Activity, ScrollText, SlidersHorizontal, Users } from 'lucide-react'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { useSearchParams } from 'react-router-dom'
import { UserManagement } from '../features/admin/users/user-management.tsx'
import { useText, withTexts } from '../lib/i18n/i18n.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '../ui/skeleton.tsx'
import { TabPanel, Tabs } from '../ui/tabs.tsx'

const SystemOverview = lazy(async () => {
  const { SystemOverviewTab } = await withTexts(
    import('../features/insights/system/system-overview-tab.tsx'),
    'system-admin',
    'settings-admin',
  )
  return { default: SystemOverviewTab }
})

const AdminSettings = lazy(async () => {
  const { AdminSettingsTab } = await withTexts(
    import('../features/admin/settings/admin-settings-tab.tsx'),
    'settings-admin',
    'connections',
    'mcp-servers',
    'watched-folders',
    'web',
    'errors',
  )
  return { default: AdminSettingsTab }
})

const AuditLog = lazy(async () => {
  const { AuditTab } = await withTexts(import('../features/admin/audit/audit-tab.tsx'), 'audit', 'errors')
  return { default: AuditTab }
})

const tabs: readonly { name: 'users' | 'system' | 'settings' | 'audit'; icon: ReactNode; Panel: ComponentType }[] = [
  { name: 'users', icon: <Users aria-hidden />, Panel: UserManagement },
  { name: 'system', icon: <Activity aria-hidden />, Panel: SystemOverview },
  { name: 'settings', icon: <SlidersHorizontal aria-hidden />, Panel: AdminSettings },
  { name: 'audit', icon: <ScrollText aria-hidden />, Panel: AuditLog },
]

/** The admin panel. */
export function AdminPage() {
  const text = useText('users')
  const appText = useText('app')
  const [parameters, setParameters] = useSearchParams()
  const current = tabs.find(({ name }) => name === parameters.get('tab'))?.name ?? 'users'
  return (
    <>
      <PageHeader title={text('admin.title')} subtitle={text('admin.subtitle')} className="mb-4" />
      <Tabs
        label={text('admin.label')}
        tabs={tabs.map(({ name, icon }) => ({ value: name, label: text(`admin.tabs.${name}`), icon }))}
        value={current}
        onValueChange={(tab) => setParameters(tab === 'users' ? {} : { tab }, { preventScrollReset: true })}
      >
        {tabs.map(({ name, Panel }) => (
          <TabPanel key={name} value={name}>
            <Suspense
              fallback={
                <LoadingRegion label={appText('common.loading')}>
                  <Skeleton className="h-64" />
                </LoadingRegion>
              }
            >
              <Panel />
            </Suspense>
          </TabPanel>
        ))}
      </Tabs>
    </>
  )
}
