import { type Access, can } from '@mira/shared/access'
import {
  Bot,
  Brain,
  ChartLine,
  CircleHelp,
  Info,
  LayoutDashboard,
  type LucideIcon,
  MessagesSquare,
  Settings,
  Workflow,
  X,
} from 'lucide-react'
import { type ComponentType, lazy, Suspense, useMemo, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import type { SettingsTabProps } from '../features/me/settings/settings-tab.tsx'
import { readStored, writeStored } from '../lib/browser/browser-storage.ts'
import { loadTexts, useText, withTexts } from '../lib/i18n/i18n.ts'
import { readDenied } from '../lib/session/navigation-state.ts'
import { type DashboardTab, dashboardPath, paths } from '../lib/session/paths.ts'
import { useUser } from '../lib/session/session.ts'
import { Banner } from '../ui/banner.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { lazyScreen } from '../ui/lazy-part.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '../ui/skeleton.tsx'
import { TabPanel, Tabs } from '../ui/tabs.tsx'

const HINT_KEY = 'dashboard-hint'

/**
 * Hint for the tab, bottom right on a strip along the window's edge so that it covers no controls; below the content on
 * phones. A button brings it back once hidden.
 */
function DashboardHint({ tab }: { tab: DashboardTab }) {
  const text = useText('dashboard')
  const [isShown, setIsShown] = useState(readStored(HINT_KEY) !== 'hidden')

  const show = (isWanted: boolean) => {
    writeStored(HINT_KEY, isWanted ? null : 'hidden')
    setIsShown(isWanted)
  }

  if (!isShown) {
    return (
      <aside aria-label={text('hint.label')} className="mt-6 flex justify-end">
        <IconButton name={text('hint.show')} icon={<CircleHelp aria-hidden />} onClick={() => show(true)} />
      </aside>
    )
  }
  return (
    // Leaves room at the end of the page for the strip, which covers it.
    <div className="mt-6 sm:h-5">
      <aside
        aria-label={text('hint.label')}
        className="rounded-card border border-border bg-surface-raised sm:fixed sm:inset-x-0 sm:bottom-0 sm:z-20 sm:rounded-none sm:border-x-0 sm:border-b-0"
      >
        <div className="mx-auto flex max-w-page items-center gap-2 py-1 pr-1 pl-3 text-12 text-muted sm:justify-end sm:px-6">
          <Info aria-hidden className="size-3.5 shrink-0" />
          <p className="min-w-0 py-1 text-pretty max-sm:flex-1">{text(`hints.${tab}`)}</p>
          <IconButton name={text('hint.hide')} icon={<X aria-hidden />} size="sm" onClick={() => show(false)} />
        </div>
      </aside>
    </div>
  )
}

/** Names the permission missing for the page that the user was redirected from, until dismissed or granted. */
function DeniedNotice({ access }: { access: Access }) {
  const text = useText('dashboard')
  const appText = useText('app')
  const user = useUser()
  const navigate = useNavigate()
  if (access === 'public' || access === 'user' || access === 'voice' || can(user, access)) return null
  return (
    <Banner
      tone="warning"
      title={text(`denied.${access}`)}
      dismissLabel={appText('common.close')}
      onDismiss={() => void navigate(paths.dashboard, { replace: true })}
      className="mb-4"
    >
      {text('denied.ask')}
    </Banner>
  )
}

interface Tab {
  /** Its texts are `tabs.<name>` and `hints.<name>`. */
  name: DashboardTab
  access: Access
  Icon: LucideIcon
  Panel: ComponentType
}

const Overview = lazyScreen(async () => {
  const [{ OverviewTab }, { UpNext }, { RecentlyAdded }] = await Promise.all([
    import('../features/insights/overview/overview-tab.tsx'),
    import('../features/automation/reminders/up-next.tsx'),
    import('../features/library/recently-added.tsx'),
    loadTexts('overview', 'reminders', 'gallery', 'errors'),
  ])
  return () => <OverviewTab upNext={<UpNext />} recentlyAdded={<RecentlyAdded />} />
}, TabSkeleton)

const ChatLogs = lazy(async () => {
  const { ChatLogsTab } = await withTexts(
    import('../features/insights/chat-logs/chat-logs-tab.tsx'),
    'chat-logs',
    'errors',
  )
  return { default: ChatLogsTab }
})

const MemoryLogs = lazy(async () => {
  const { MemoryLogsTab } = await withTexts(
    import('../features/insights/memory-logs/memory-logs-tab.tsx'),
    'memory-logs',
    'errors',
  )
  return { default: MemoryLogsTab }
})

const AgentsLogs = lazy(async () => {
  const { AgentsLogsTab } = await withTexts(
    import('../features/insights/agents-logs/agents-logs-tab.tsx'),
    'agents-logs',
    'errors',
  )
  return { default: AgentsLogsTab }
})

const Analytics = lazy(async () => {
  const { AnalyticsTab } = await withTexts(import('../features/insights/analytics/analytics-tab.tsx'), 'analytics')
  return { default: AnalyticsTab }
})

const Automation = lazy(async () => {
  const { AutomationTab } = await withTexts(import('../features/automation/automation-tab.tsx'), 'automation', 'errors')
  return { default: AutomationTab }
})

const SettingsAndAccount = lazy(async () => {
  const [
    { SettingsTab },
    { AboutMe },
    { PromptsCard },
    { PersonasCard },
    { ChangePassword },
    { Devices },
    { AccessCard },
    { ApiTokens },
    { ProgramsCard },
    { WebhooksCard },
    { McpServersCard },
    { ImportsCard },
    { SharesCard },
    { PasskeysCard },
    { CodesCard },
  ] = await Promise.all([
    import('../features/me/settings/settings-tab.tsx'),
    import('../features/me/about-me/about-me.tsx'),
    import('../features/chat/prompts/prompts-card.tsx'),
    import('../features/chat/personas/personas-card.tsx'),
    import('../features/admin/users/password-form.tsx'),
    import('../features/admin/users/devices.tsx'),
    import('../features/admin/users/access-card.tsx'),
    import('../features/admin/users/api-tokens.tsx'),
    import('../features/admin/users/oauth/programs-card.tsx'),
    import('../features/automation/webhooks/webhooks-card.tsx'),
    import('../features/admin/settings/mcp-servers-card.tsx'),
    import('../features/library/imports/imports-card.tsx'),
    import('../features/chat/shares/share-list.tsx'),
    import('../features/admin/users/sign-in/passkeys-card.tsx'),
    import('../features/admin/users/sign-in/codes-card.tsx'),
    loadTexts(
      'settings',
      'about-me',
      'prompts',
      'personas',
      'projects',
      'chat',
      'users',
      'sign-in',
      'programs',
      'webhooks',
      'mcp-servers',
      'connections',
      'imports',
      'shares',
      'errors',
    ),
  ])
  const cards: SettingsTabProps = {
    aboutMe: <AboutMe />,
    prompts: <PromptsCard />,
    personas: <PersonasCard />,
    password: <ChangePassword />,
    passkeys: <PasskeysCard />,
    codes: <CodesCard />,
    devices: <Devices />,
    access: <AccessCard />,
    apiTokens: <ApiTokens />,
    programs: <ProgramsCard />,
    hooks: <WebhooksCard />,
    mcpServers: <McpServersCard owner="person" />,
    imports: <ImportsCard />,
    shares: <SharesCard />,
  }
  return {
    default: () => <SettingsTab {...cards} />,
  }
})

/** The tabs of the dashboard and who sees them. */
const tabs: readonly Tab[] = [
  { name: 'overview', access: 'user', Icon: LayoutDashboard, Panel: Overview },
  { name: 'chat-logs', access: 'chat', Icon: MessagesSquare, Panel: ChatLogs },
  { name: 'memory-logs', access: 'upload', Icon: Brain, Panel: MemoryLogs },
  { name: 'agents-logs', access: 'agents', Icon: Bot, Panel: AgentsLogs },
  { name: 'analytics', access: 'analytics', Icon: ChartLine, Panel: Analytics },
  { name: 'automation', access: 'admin', Icon: Workflow, Panel: Automation },
  { name: 'settings', access: 'user', Icon: Settings, Panel: SettingsAndAccount },
]

/** The dashboard: a greeting, the tabs that the user may see, and a hint about the current one. */
export function DashboardPage() {
  const text = useText('dashboard')
  const user = useUser()
  const navigate = useNavigate()
  const [parameters] = useSearchParams()
  const allowedTabs = useMemo(() => tabs.filter(({ access }) => can(user, access)), [user])
  const requestedTab = parameters.get('tab')
  const current = allowedTabs.find(({ name }) => name === requestedTab) ?? allowedTabs[0]!
  const denied = readDenied(useLocation()) ?? tabs.find(({ name }) => name === requestedTab)?.access

  const show = (name: DashboardTab) => {
    const path = dashboardPath(name)
    // A double click calls this twice before the tab changes; a second history entry would make Back lead to the same tab.
    if (`${window.location.pathname}${window.location.search}` !== path) void navigate(path)
  }

  return (
    <>
      <PageHeader title={text('greeting', { name: user.full_name || user.username })} className="mb-4" />
      {denied && <DeniedNotice access={denied} />}
      <Tabs
        label={text('label')}
        tabs={allowedTabs.map(({ name, Icon }) => ({
          value: name,
          label: text(`tabs.${name}`),
          icon: <Icon aria-hidden />,
        }))}
        value={current.name}
        onValueChange={show}
      >
        <TabPanel value={current.name}>
          {/* Keyed by tab, so that the previous tab doesn't stay until the next one has loaded. */}
          <Suspense key={current.name} fallback={<TabSkeleton />}>
            <current.Panel />
          </Suspense>
        </TabPanel>
      </Tabs>
      <DashboardHint tab={current.name} />
    </>
  )
}

function TabSkeleton() {
  const text = useText('app')
  return (
    // As tall as the window, so that the hint below the tab starts out of sight and doesn't move while the user reads it.
    <LoadingRegion label={text('common.loading')} className="flex min-h-dvh flex-col gap-4">
      <Skeleton className="h-24 rounded-card" />
      <Skeleton className="h-64 rounded-card" />
    </LoadingRegion>
  )
}
