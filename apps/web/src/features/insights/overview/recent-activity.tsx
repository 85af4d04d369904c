import type { ActivityEntryJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { useQuery } from '@tanstack/react-query'
import {
  Activity,
  ArrowRight,
  Bot,
  CircleStop,
  CircleX,
  type LucideIcon,
  MessageSquare,
  Search,
  Sparkles,
  Upload,
  UserRound,
  Workflow,
} from 'lucide-react'
import { Link } from 'react-router-dom'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import type { Messages } from '../../../lib/i18n/messages.ts'
import { dashboardPath, paths } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { activityQuery } from './overview-queries.ts'

/** A repeated activity: its newest entry and the number of entries. */
interface ActivityGroup {
  newest: ActivityEntryJson
  count: number
}

/**
 * Groups successive activities of the same kind, title and link, so that one long conversation doesn't hide everything else.
 *
 * @param entries newest first.
 */
export function groupActivity(entries: readonly ActivityEntryJson[]): ActivityGroup[] {
  const groups: ActivityGroup[] = []
  for (const entry of entries) {
    const last = groups[groups.length - 1]
    if (last && isAlike(last.newest, entry)) last.count += 1
    else groups.push({ newest: entry, count: 1 })
  }
  return groups
}

function isAlike(one: ActivityEntryJson, other: ActivityEntryJson): boolean {
  return (
    one.type === other.type &&
    one.action === other.action &&
    one.outcome === other.outcome &&
    one.title === other.title &&
    one.link === other.link
  )
}

const icons: Record<ActivityEntryJson['type'], LucideIcon> = {
  chat: MessageSquare,
  upload: Upload,
  search: Search,
  agent: Bot,
  effect: Sparkles,
  automation: Workflow,
  account: UserRound,
}

const MAX_SHOWN = 8

/** Actions that have a text. */
type KnownAction = keyof Messages['overview']['activity']['did']

/** The user's latest activity with links. */
export function RecentActivity() {
  const text = useText('overview')
  const user = useUser()
  // Path of the analytics of all activity, or else of the user's own timeline; null without access to either.
  const allPath = can(user, 'analytics') ? paths.analytics : can(user, 'upload') ? dashboardPath('memory-logs') : null
  return (
    <Card>
      <CardHeader
        title={text('activity.title')}
        actions={
          allPath && (
            <Link to={allPath} className={buttonClass({ variant: 'ghost', size: 'sm', className: '-my-1 -mr-2' })}>
              {text('activity.viewAll')}
              <ArrowRight aria-hidden />
            </Link>
          )
        }
      />
      <ActivityList />
    </Card>
  )
}

function ActivityList() {
  const text = useText('overview')
  const appText = useText('app')
  const mayChat = can(useUser(), 'chat')
  const query = useQuery(activityQuery)
  const { data: entries } = query

  if (query.isLoadingError) return <LoadFailed query={query} />
  if (!entries) {
    return (
      <LoadingRegion label={appText('common.loading')} className="flex flex-col gap-5 py-2">
        {['w-3/5', 'w-2/5', 'w-1/2', 'w-3/5', 'w-1/3'].map((width, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move
          <div key={line} className="flex items-center gap-3">
            <Skeleton className="size-9 rounded-full" />
            <div className="flex-1">
              <Skeleton className={`h-4 ${width}`} />
              <Skeleton className="mt-1.5 h-3 w-28" />
            </div>
          </div>
        ))}
      </LoadingRegion>
    )
  }
  if (entries.length === 0) {
    return (
      <EmptyState
        level={3}
        icon={<Activity />}
        title={text('activity.empty.title')}
        text={text('activity.empty.text')}
        action={
          mayChat && (
            <Link to={paths.chat} className={buttonClass({ variant: 'primary' })}>
              {text('activity.empty.action')}
            </Link>
          )
        }
        className="py-8"
      />
    )
  }
  return (
    <ul className="-mx-2 flex flex-col">
      {groupActivity(entries)
        .slice(0, MAX_SHOWN)
        .map(({ newest, count }) => (
          <li key={newest.id}>
            <Entry entry={newest} count={count} />
          </li>
        ))}
    </ul>
  )
}

function Entry({ entry: { type, outcome, title, action, detail, created_at, link }, count }: EntryProps) {
  const text = useText('overview')
  const Icon = outcome === 'failed' ? CircleX : outcome === 'interrupted' ? CircleStop : icons[type]
  const key = `activity.did.${action as KnownAction}` as const
  const kind = text(`activity.types.${type}`)
  const actionText = text.has(key)
    ? text(key, { assistant: assistantName() })
    : outcome === 'completed'
      ? kind
      : `${kind} · ${text(`activity.outcomes.${outcome}`)}`
  const times = count > 1 ? text('activity.times', { count }) : null
  const subtitle = [title ? actionText : null, times, detail].filter(Boolean).join(' · ')
  return (
    <div className="relative flex items-center gap-3 rounded-control px-2 py-2.5 has-[a]:shade-on-hover">
      <span
        aria-hidden
        className={classNames(
          'grid size-9 shrink-0 place-items-center rounded-full',
          outcome === 'failed' ? 'bg-danger-soft text-danger-text' : 'bg-surface-sunken text-muted',
        )}
      >
        <Icon className="size-4" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate text-14 font-medium">
            {link ? (
              <Link to={link} className="rounded-control after:absolute after:inset-0 after:rounded-control">
                {title || actionText}
              </Link>
            ) : (
              title || actionText
            )}
          </span>
          <RelativeTime moment={created_at} className="relative shrink-0 text-12 text-muted" />
        </p>
        {subtitle && <p className="mt-0.5 truncate text-13 text-muted">{subtitle}</p>}
      </div>
    </div>
  )
}

type EntryProps = { entry: ActivityEntryJson; count: number }
