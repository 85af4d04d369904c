import { Activity, SlidersHorizontal, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { UserManagement } from './user-management.tsx'

const tabs = ['users', 'system', 'settings'] as const
const icons = {
  users: <Users aria-hidden />,
  system: <Activity aria-hidden />,
  settings: <SlidersHorizontal aria-hidden />,
}

/** The admin panel (spec §2.6). */
export function AdminPage() {
  const text = useText('users')
  const [parameters, setParameters] = useSearchParams()
  const current = tabs.find((tab) => tab === parameters.get('tab')) ?? 'users'
  return (
    <>
      <PageHeader title={text('admin.title')} subtitle={text('admin.subtitle')} className="mb-4" />
      <Tabs
        label={text('admin.label')}
        tabs={tabs.map((tab) => ({ value: tab, label: text(`admin.tabs.${tab}`), icon: icons[tab] }))}
        value={current}
        onValueChange={(tab) => setParameters(tab === 'users' ? {} : { tab }, { preventScrollReset: true })}
      >
        <TabPanel value="users">
          <UserManagement />
        </TabPanel>
        <TabPanel value="system">
          <Placeholder icon={<Activity />} line={text('admin.systemLine')} />
        </TabPanel>
        <TabPanel value="settings">
          <Placeholder icon={<SlidersHorizontal />} line={text('admin.settingsLine')} />
        </TabPanel>
      </Tabs>
    </>
  )
}

function Placeholder({ icon, line }: { icon: ReactNode; line: string }) {
  const appText = useText('app')
  return (
    <Card className="py-8">
      <EmptyState icon={icon} title={appText('placeholders.title')} text={line} />
    </Card>
  )
}
