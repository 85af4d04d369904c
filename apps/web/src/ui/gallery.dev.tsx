import {
  Activity,
  Bot,
  Brain,
  Ellipsis,
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
  Upload,
  Zap,
} from 'lucide-react'
import { type ReactNode, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import '../main.css'
import { Avatar } from './avatar.tsx'
import { Badge } from './badge.tsx'
import { Banner } from './banner.tsx'
import { BrandMark } from './brand-mark.tsx'
import { Button } from './button.tsx'
import { Card, CardHeader } from './card.tsx'
import { Checkbox } from './checkbox.tsx'
import { ChoiceCards } from './choice-cards.tsx'
import { ConfirmProvider, useConfirm } from './confirm-dialog.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { DropdownMenu } from './dropdown-menu.tsx'
import { EmptyState } from './empty-state.tsx'
import { IconButton } from './icon-button.tsx'
import { InlineError } from './inline-error.tsx'
import { Kbd } from './kbd.tsx'
import { LoadMore } from './load-more.tsx'
import { PageHeader } from './page-header.tsx'
import { Pagination } from './pagination.tsx'
import { PasswordField } from './password-field.tsx'
import { Progress } from './progress.tsx'
import { SearchField } from './search-field.tsx'
import { Select } from './select.tsx'
import { LoadingRegion, Skeleton, SkeletonText } from './skeleton.tsx'
import { Spinner } from './spinner.tsx'
import { StatCard } from './stat-card.tsx'
import { applyStyleNonce } from './style-nonce.ts'
import { Switch } from './switch.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, type SortDirection, SortHeaderCell, Table } from './table.tsx'
import { TabPanel, Tabs } from './tabs.tsx'
import { TextArea } from './text-area.tsx'
import { TextField } from './text-field.tsx'
import { TimeText } from './time-text.tsx'
import { showToast } from './toast.ts'
import { Toaster } from './toaster.tsx'
import { Tooltip } from './tooltip.tsx'

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

function Menus() {
  const confirm = useConfirm()
  return (
    <div className="flex flex-wrap items-center gap-3">
      <DropdownMenu
        trigger={
          <Button variant="ghost" icon={<Images />}>
            Media
          </Button>
        }
        entries={[
          {
            key: 'upload',
            label: 'Upload Media',
            description: 'Upload and process files',
            icon: <Upload />,
            // biome-ignore lint/a11y/useAnchorContent: the menu puts the content in
            link: <a href="#upload" />,
          },
          { key: 'gallery', label: 'Gallery', description: 'Browse your media library', icon: <Images /> },
          { key: 'effects', label: 'Image Effects', description: 'Apply artistic effects', icon: <Sparkles /> },
          { key: 'memory', label: 'Memory Search', description: 'Search across all content', icon: <Brain /> },
        ]}
      />
      <DropdownMenu
        trigger={<IconButton name="Session actions" icon={<Ellipsis />} />}
        entries={[
          { kind: 'heading', key: 'session', label: 'Session' },
          {
            key: 'rename',
            label: 'Rename',
            icon: <Pencil />,
            shortcut: 'F2',
            onSelect: () => void confirm({ question: 'Rename this?', confirmLabel: 'Rename', cancelLabel: 'Cancel' }),
          },
          { key: 'newest', label: 'Newest first', checked: true },
          { key: 'oldest', label: 'Oldest first', checked: false },
          { kind: 'separator', key: 'rule' },
          { key: 'delete', label: 'Delete', icon: <Trash2 />, tone: 'danger' },
        ]}
      />
      <Tooltip text="Measured from the first byte of the question to the last byte of the answer">
        <Button variant="ghost">Hover for a tooltip</Button>
      </Tooltip>
      <CopyButton text="mira_live_3fd0" label="Copy token" copiedLabel="Copied" />
      <CopyButton text="mira_live_3fd0" label="Copy token" copiedLabel="Copied" withText />
      <Kbd>C</Kbd>
      <span className="inline-flex gap-1">
        <Kbd>⌘</Kbd>
        <Kbd>K</Kbd>
      </span>
      <Avatar name="Ada Lovelace" size="sm" />
      <Avatar name="Grace Hopper" />
      <Avatar name="admin" size="lg" />
      <Spinner label="Loading Mira…" />
    </div>
  )
}

function Windows() {
  const confirm = useConfirm()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="flex flex-wrap gap-3">
      <Button variant="primary" icon={<Plus />} onClick={() => setIsOpen(true)}>
        Create User
      </Button>
      <Button
        variant="danger"
        icon={<Trash2 />}
        onClick={async () => {
          const isConfirmed = await confirm({
            question: 'Delete 3 selected sessions?',
            confirmLabel: 'Delete 3 sessions',
            cancelLabel: 'Cancel',
            tone: 'danger',
          })
          showToast({ title: isConfirmed ? '3 sessions deleted' : 'Nothing was deleted', tone: 'success' })
        }}
      >
        Delete Selected (3)
      </Button>
      <Button
        onClick={() =>
          showToast({
            tone: 'danger',
            title: 'The model server does not answer',
            description: 'Your message is kept. Try again, or check the address in the settings.',
            action: { label: 'Try again', onSelect: () => showToast({ title: 'Trying again' }) },
          })
        }
      >
        Show a toast
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setIsOpen}
        title="Create User"
        description="They sign in with the username and password you set here."
        closeLabel="Close"
        onSubmit={(event) => {
          event.preventDefault()
          setIsOpen(false)
        }}
        footer={
          <>
            <Button onClick={() => setIsOpen(false)}>Cancel</Button>
            <Button type="submit" variant="primary">
              Create User
            </Button>
          </>
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Username" required data-autofocus="" />
          <TextField label="Email" type="email" required />
          <TextField label="Full name" className="sm:col-span-2" />
          <PasswordField
            label="Password"
            showLabel="Show password"
            hideLabel="Hide password"
            hint="10 to 72 characters that are hard to guess."
            className="sm:col-span-2"
          />
          <Switch label="Can chat" checked onCheckedChange={() => {}} className="sm:col-span-2" />
        </div>
      </Dialog>
    </div>
  )
}

function Fields() {
  const [search, setSearch] = useState('beach')
  const [language, setLanguage] = useState<'en' | 'es' | 'fr' | 'de'>('en')
  const [isKept, setIsKept] = useState(true)
  const [theme, setTheme] = useState<'light' | 'dark'>('light')
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card className="flex flex-col gap-4">
        <TextField label="Username" placeholder="ada" autoComplete="off" />
        <PasswordField label="Password" showLabel="Show password" hideLabel="Hide password" defaultValue="secret" />
        <TextField label="Email" defaultValue="ada@" error="Enter a whole address, such as ada@example.org" />
        <TextField label="Full Name" defaultValue="Ada Lovelace" readOnly hint="An admin can change this." />
        <TextField label="Disabled" defaultValue="not now" disabled />
        <TextArea label="Note" placeholder="What should Mira remember?" />
      </Card>
      <Card className="flex flex-col gap-4">
        <SearchField
          label="Search memory logs"
          clearLabel="Clear search"
          placeholder="Search memory logs..."
          value={search}
          onValueChange={setSearch}
        />
        <Select
          label="Language"
          value={language}
          onValueChange={setLanguage}
          options={[
            { value: 'en', label: 'English' },
            { value: 'es', label: 'Spanish' },
            { value: 'fr', label: 'French' },
            { value: 'de', label: 'German' },
          ]}
        />
        <ChoiceCards
          label="Appearance"
          value={theme}
          onValueChange={setTheme}
          choices={[
            { value: 'light', label: 'Light', description: 'Bright and clear', icon: <Sun /> },
            { value: 'dark', label: 'Dark', description: 'Easy on the eyes', icon: <Moon /> },
          ]}
        />
        <Switch
          label="Auto Save"
          description="Keep what you write before you send it."
          checked={isKept}
          onCheckedChange={setIsKept}
        />
        <Switch label="Data Saver Mode" checked={false} onCheckedChange={() => {}} />
        <Switch label="Usage Analytics" checked disabled onCheckedChange={() => {}} />
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Checkbox label="Include video frames" checked={isKept} onCheckedChange={setIsKept} />
          <Checkbox label="Some" checked={false} indeterminate onCheckedChange={() => {}} />
          <Checkbox label="None" checked={false} onCheckedChange={() => {}} />
          <Checkbox label="Disabled" checked disabled onCheckedChange={() => {}} />
        </div>
      </Card>
    </div>
  )
}

const sessions = [
  {
    id: 1,
    name: 'Trip to Porto',
    agent: 'WeatherAgent',
    messages: 24,
    tokens: 8120,
    state: 'active',
    when: '5 minutes ago',
  },
  {
    id: 2,
    name: 'What the plumber said about the boiler and the two valves',
    agent: null,
    messages: 6,
    tokens: 1904,
    state: 'completed',
    when: '3 hours ago',
  },
  {
    id: 3,
    name: 'Tax papers 2025',
    agent: 'FileAgent',
    messages: 41,
    tokens: 20_377,
    state: 'completed',
    when: '2 days ago',
  },
  { id: 4, name: 'Names for a cat', agent: null, messages: 12, tokens: 2210, state: 'completed', when: '6 days ago' },
]

function Sessions() {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set([2]))
  const [direction, setDirection] = useState<SortDirection>('descending')
  const [page, setPage] = useState(2)
  const toggle = (id: number, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  return (
    <Card flush className="overflow-hidden">
      <CardHeader
        title="Chat Management"
        className="p-4 sm:px-5"
        actions={
          <>
            <Button variant="danger" size="sm" icon={<Trash2 />}>
              Delete Selected ({chosen.size})
            </Button>
            <Button variant="primary" size="sm" icon={<Plus />}>
              Start New Chat
            </Button>
          </>
        }
      />
      <Table label="Chat sessions" firstColumns={2} className="border-t border-border">
        <thead>
          <tr>
            <HeaderCell>
              <Checkbox
                label="Select all"
                labelHidden
                checked={chosen.size === sessions.length}
                indeterminate={chosen.size > 0 && chosen.size < sessions.length}
                onCheckedChange={(all) => setChosen(new Set(all ? sessions.map((session) => session.id) : []))}
              />
            </HeaderCell>
            <HeaderCell>Session</HeaderCell>
            <HeaderCell>Agent Used</HeaderCell>
            <HeaderCell align="right">Messages</HeaderCell>
            <HeaderCell align="right">Tokens</HeaderCell>
            <HeaderCell>Status</HeaderCell>
            <SortHeaderCell
              direction={direction}
              onSort={() => setDirection(direction === 'ascending' ? 'descending' : 'ascending')}
            >
              Last Updated
            </SortHeaderCell>
            <HeaderCell align="right">Actions</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <Row key={session.id} selected={chosen.has(session.id)}>
              <Cell>
                <Checkbox
                  label={`Select ${session.name}`}
                  labelHidden
                  checked={chosen.has(session.id)}
                  onCheckedChange={(isChosen) => toggle(session.id, isChosen)}
                />
              </Cell>
              <RowHeaderCell>
                <span className="block max-w-56 min-w-36 truncate">{session.name}</span>
              </RowHeaderCell>
              <Cell className="text-muted">{session.agent ?? '—'}</Cell>
              <Cell align="right">{session.messages}</Cell>
              <Cell align="right">{session.tokens.toLocaleString('en')}</Cell>
              <Cell>
                <Badge tone={session.state === 'active' ? 'success' : 'neutral'}>{session.state}</Badge>
              </Cell>
              <Cell className="whitespace-nowrap text-muted">
                <TimeText text={session.when} absolute="20 November 2025, 12:30" dateTime="2025-11-20T12:30:00Z" />
              </Cell>
              <Cell align="right">
                <span className="inline-flex gap-1">
                  <IconButton size="sm" name={`View ${session.name}`} icon={<MessageSquare />} />
                  <IconButton size="sm" variant="danger" name={`Delete ${session.name}`} icon={<Trash2 />} />
                </span>
              </Cell>
            </Row>
          ))}
        </tbody>
      </Table>
      <Pagination
        className="border-t border-border p-3 sm:px-5"
        page={page}
        pageCount={7}
        onPageChange={setPage}
        labels={{ navigation: 'Pages', previous: 'Previous', next: 'Next', status: `Page ${page} of 7` }}
      />
    </Card>
  )
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

function Gallery() {
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
    <ConfirmProvider>
      <Gallery />
      <Toaster label="Notifications ({hotkey})" closeLabel="Close" />
    </ConfirmProvider>
  </StrictMode>,
)
