import {
  Activity,
  Bot,
  Brain,
  FileText,
  Images,
  MessageSquare,
  Moon,
  Pencil,
  Plus,
  Send,
  Sparkles,
  Sun,
  Trash2,
  Zap,
} from 'lucide-react'
import { type ReactNode, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '../main.css'
import { Badge } from './badge.tsx'
import { Banner } from './banner.tsx'
import { BrandMark } from './brand-mark.tsx'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { ConfirmProvider } from './confirm-dialog.tsx'
import { EmptyState } from './empty-state.tsx'
import { IconButton } from './icon-button.tsx'
import { InlineError } from './inline-error.tsx'
import { LoadMore } from './load-more.tsx'
import { PageHeader } from './page-header.tsx'
import { Progress } from './progress.tsx'
import { Fields } from './showcase-fields.dev.tsx'
import { Sessions } from './showcase-table.dev.tsx'
import { Menus, Windows } from './showcase-windows.dev.tsx'
import { LoadingRegion, Skeleton, SkeletonText } from './skeleton.tsx'
import { StatCard } from './stat-card.tsx'
import { applyStyleNonce } from './style-nonce.ts'
import { TabPanel, Tabs } from './tabs.tsx'
import { Toasts } from './toasts.tsx'

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-4">
      <h2 className="text-13 font-semibold text-muted">{title}</h2>
      {children}
    </section>
  )
}

function ThemeToggle() {
  const [isDark, setIsDark] = useState(document.documentElement.dataset.theme === 'dark')
  const toggle = () => {
    document.documentElement.dataset.theme = isDark ? 'light' : 'dark'
    setIsDark(!isDark)
  }
  return <IconButton name={isDark ? 'Light Mode' : 'Dark Mode'} icon={isDark ? <Sun /> : <Moon />} onClick={toggle} />
}

const tabs = [
  { value: 'overview', label: 'Overview', icon: <Activity /> },
  { value: 'chats', label: 'Chat Logs', icon: <MessageSquare /> },
  { value: 'memory', label: 'Memory Logs', icon: <Brain /> },
  { value: 'agents', label: 'Agents Logs', icon: <Bot />, count: 5 },
  { value: 'analytics', label: 'Analytics' },
  { value: 'automation', label: 'Automation' },
  { value: 'settings', label: 'Settings' },
] as const

function Showcase() {
  const [tab, setTab] = useState<(typeof tabs)[number]['value']>('overview')
  return (
    <main className="mx-auto flex max-w-page flex-col gap-10 px-4 py-6 sm:px-6">
      <PageHeader
        className=""
        title={
          <span className="flex items-center gap-3">
            <BrandMark className="size-8 shrink-0" /> Welcome back, Ada Lovelace
          </span>
        }
        subtitle="Every part of the interface, in the theme of this page."
        badge={<Badge tone="accent">Phase 5</Badge>}
        actions={
          <>
            <ThemeToggle />
            <Button variant="primary" icon={<MessageSquare />}>
              Start Chat
            </Button>
          </>
        }
      />
      <Tabs label="Dashboard" tabs={tabs} value={tab} onValueChange={setTab}>
        {tabs.map(({ value }) => (
          <TabPanel key={value} value={value}>
            <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
              <StatCard
                label="Chat Sessions"
                value="128"
                icon={<MessageSquare />}
                change={{ text: '12% this week', direction: 'up', tone: 'good' }}
              />
              <StatCard label="Media Items" value="2,041" icon={<Images />} />
              <StatCard
                label="Efficiency"
                value={null}
                icon={<Zap />}
                explanation="Nothing has been asked yet in this period, so there is nothing to measure."
              />
              <StatCard label="Avg Response" value="1.8" unit="s" icon={<Activity />} loading />
            </div>
          </TabPanel>
        ))}
      </Tabs>
      <Section title="Buttons">
        <div className="flex flex-wrap items-center gap-3">
          <Button variant="primary">Sign in</Button>
          <Button variant="primary" loading>
            Signing in...
          </Button>
          <Button>Export</Button>
          <Button variant="ghost">Cancel</Button>
          <Button variant="danger">Clear All Data</Button>
          <Button disabled>Disabled</Button>
          <Button variant="primary" disabled>
            Disabled
          </Button>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Button size="sm" icon={<Plus />}>
            Small
          </Button>
          <Button icon={<Plus />}>Medium</Button>
          <Button size="lg" variant="primary" icon={<Plus />}>
            Large
          </Button>
          <IconButton name="Edit" icon={<Pencil />} />
          <IconButton name="Edit" icon={<Pencil />} variant="secondary" />
          <IconButton name="Send" icon={<Send />} variant="primary" />
          <IconButton name="Delete" icon={<Trash2 />} variant="danger" size="sm" />
        </div>
        <Menus />
        <Windows />
      </Section>
      <Section title="Badges">
        <div className="flex flex-wrap gap-2">
          <Badge>guest</Badge>
          <Badge tone="accent">admin</Badge>
          <Badge tone="ai" icon={<Sparkles />}>
            Caption by an engine
          </Badge>
          <Badge tone="success">active</Badge>
          <Badge tone="warning">warning</Badge>
          <Badge tone="danger">failed</Badge>
        </div>
        <div className="flex flex-wrap gap-2">
          {['bg-data-1', 'bg-data-2', 'bg-data-3', 'bg-data-4', 'bg-data-5', 'bg-data-6'].map((colour) => (
            <span key={colour} className={`h-8 w-14 rounded-control ${colour}`} />
          ))}
        </div>
      </Section>
      <Section title="Fields">
        <Fields />
      </Section>
      <Section title="Table">
        <Sessions />
      </Section>
      <Section title="Messages and progress">
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Banner
            tone="info"
            title="No language model is connected"
            action={<Button size="sm">How to connect one</Button>}
          >
            Mira answers from what you have shown it.
          </Banner>
          <Banner tone="error">Incorrect username or password</Banner>
          <Banner tone="warning" title="Automation Not Available" dismissLabel="Dismiss" onDismiss={() => {}}>
            The automation system is not yet installed or configured.
          </Banner>
          <Banner tone="success">Settings saved</Banner>
          <Card className="flex flex-col gap-5">
            <Progress label="holiday.mp4" value={62} detail="62 %, 40 s left" />
            <Progress label="Reading frames" value={null} tone="ai" detail="Step 2 of 4" />
            <InlineError text="Could not load" retryLabel="Retry" onRetry={() => {}} />
            <LoadMore label="Load more" onLoadMore={() => {}} status="20 of 431" />
          </Card>
          <Card>
            <LoadingRegion label="Loading sessions">
              <div className="mb-4 flex items-center gap-3">
                <Skeleton className="size-9 rounded-full" />
                <Skeleton className="h-4 w-40" />
              </div>
              <SkeletonText lines={4} />
            </LoadingRegion>
          </Card>
        </div>
        <Card>
          <EmptyState
            icon={<FileText />}
            title="No chat sessions"
            text="Start your first conversation to see it appear here."
            action={<Button variant="primary">Start Chatting</Button>}
          />
        </Card>
      </Section>
      <Section title="Type">
        <Card className="flex flex-col gap-2">
          <p className="text-32 font-semibold">Type at 32</p>
          <p className="text-24 font-semibold">Type at 24</p>
          <p className="text-20 font-semibold">Type at 20</p>
          <p className="max-w-[68ch] text-16">Type at 16: the size of a chat answer, with room to breathe.</p>
          <p className="text-14">Type at 14: the interface.</p>
          <p className="text-13 text-muted">Type at 13: what goes with it.</p>
          <p className="text-12 text-muted">Type at 12: the small print, 0123456789.</p>
          <p className="font-mono text-13">const answer = await mira.ask('Where are my keys?')</p>
        </Card>
      </Section>
    </main>
  )
}

applyStyleNonce()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ConfirmProvider cancelLabel="Cancel">
      <Showcase />
      <Toasts label="Notifications ({hotkey})" closeLabel="Close" />
    </ConfirmProvider>
  </StrictMode>,
)
