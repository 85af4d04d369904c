import type { CodedSentence, DashboardHealthJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import {
  ArrowRight,
  Bot,
  BrainCircuit,
  CircleCheck,
  CircleX,
  Clock,
  DatabaseBackup,
  DatabaseZap,
  Images,
  Lock,
  type LucideIcon,
  RefreshCw,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { adminPath, adminSettingsPath } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { healthQuery } from './overview-queries.ts'

type Part = 'ai_service' | 'vector_store' | 'media_processing' | 'agents'

const parts: readonly { name: Part; Icon: LucideIcon }[] = [
  { name: 'ai_service', Icon: BrainCircuit },
  { name: 'vector_store', Icon: DatabaseZap },
  { name: 'media_processing', Icon: Images },
  { name: 'agents', Icon: Bot },
]

const stateBadges: Record<DashboardHealthJson[Part], { tone: BadgeTone; Icon: LucideIcon }> = {
  online: { tone: 'success', Icon: CircleCheck },
  warning: { tone: 'warning', Icon: TriangleAlert },
  error: { tone: 'danger', Icon: CircleX },
}

/** State of the server's parts, with reasons for failures. */
export function SystemHealth() {
  const text = useText('overview')
  const isAdmin = useUser().role === 'admin'
  return (
    <Card>
      <CardHeader title={text('health.title')} />
      <HealthList />
      <Link
        to={adminPath('system')}
        title={isAdmin ? undefined : text('health.forAdmins')}
        className={buttonClass({ size: 'sm', className: 'mt-4 w-full' })}
      >
        {isAdmin ? <ArrowRight aria-hidden /> : <Lock aria-hidden />}
        {text('health.details')}
      </Link>
      {!isAdmin && <p className="mt-1.5 text-center text-12 text-muted">{text('health.forAdmins')}</p>}
    </Card>
  )
}

function HealthList() {
  const text = useText('overview')
  const appText = useText('app')
  const format = useFormat()
  const sentenceText = useSentenceText()
  const { dataSaver } = useSettings()
  const query = useQuery(healthQuery(dataSaver))
  const { data: health } = query

  if (query.isLoadingError) return <LoadFailed query={query} />
  if (!health) {
    return (
      <LoadingRegion label={appText('common.loading')} className="flex flex-col gap-4 py-1">
        {[1, 2, 3, 4, 5, 6].map((line) => (
          <Skeleton key={line} className="h-6" />
        ))}
      </LoadingRegion>
    )
  }
  return (
    <dl className="flex flex-col divide-y divide-border">
      {parts.map(({ name, Icon }) => (
        <HealthRow
          key={name}
          part={name}
          Icon={Icon}
          state={health[name]}
          reason={health.reasons[name]}
          sentences={health.told[name]}
        />
      ))}
      {health.checked_at && (
        <HealthLine Icon={RefreshCw} name={text('health.checkedAt')}>
          <RelativeTime moment={health.checked_at} />
        </HealthLine>
      )}
      <HealthLine Icon={Clock} name={text('health.uptime')}>
        {uptimeText(health.uptime, text, format)}
      </HealthLine>
      <HealthLine
        Icon={DatabaseBackup}
        name={text('health.lastBackup')}
        note={health.backup_warnings.map(({ reason, told: sentences }) => sentenceText(reason, sentences)).join(' ')}
      >
        {health.last_backup ? <RelativeTime moment={health.last_backup} /> : text('health.never')}
      </HealthLine>
      <HealthLine Icon={DatabaseBackup} name={text('health.lastProven')}>
        {health.last_proven_restore ? <RelativeTime moment={health.last_proven_restore} /> : text('health.never')}
      </HealthLine>
    </dl>
  )
}

const DAY_SECONDS = 86_400

function uptimeText(seconds: number, text: Text<'overview'>, format: Format): string {
  if (seconds < DAY_SECONDS) return format.duration(seconds)
  return text('health.days', {
    days: Math.floor(seconds / DAY_SECONDS),
    hours: Math.floor((seconds % DAY_SECONDS) / 3600),
  })
}

function HealthRow({ part, Icon, state, reason, sentences }: HealthRowProps) {
  const text = useText('overview')
  const language = useLanguage()
  const sentenceText = useSentenceText()
  const isAdmin = useUser().role === 'admin'
  const badge = stateBadges[state]
  // untranslated reasons are replaced with the type of problem
  const isInUserLanguage = language === 'en' || (sentences !== undefined && sentences.length > 0)
  const note =
    state === 'online'
      ? null
      : reason && isInUserLanguage
        ? sentenceText(reason, sentences)
        : text(`health.reasons.${part}.${state}`)
  return (
    <HealthLine
      Icon={Icon}
      name={text(`health.parts.${part}`)}
      note={
        note && (
          <>
            {note}{' '}
            {isAdmin && (
              <Link
                to={part === 'media_processing' ? adminSettingsPath('engines') : adminPath('settings')}
                className="text-accent-text underline underline-offset-2"
              >
                {text('health.setUp')}
              </Link>
            )}
          </>
        )
      }
    >
      <Badge tone={badge.tone} icon={<badge.Icon aria-hidden />}>
        {text(`health.states.${state}`)}
      </Badge>
    </HealthLine>
  )
}

type HealthRowProps = {
  part: Part
  Icon: LucideIcon
  state: DashboardHealthJson[Part]
  reason: string | undefined
  sentences: CodedSentence[] | undefined
}

/** Line of the list; its note spans both name and state. */
function HealthLine({ Icon, name, note, children }: HealthLineProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 py-2.5 first:pt-0 last:pb-0">
      <dt className="flex min-h-6 min-w-0 items-center gap-2.5 text-14">
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 truncate">{name}</span>
      </dt>
      <dd className="text-14 text-muted tabular-nums">{children}</dd>
      {note && <dd className="col-span-2 pl-6.5 text-13 text-pretty text-muted">{note}</dd>}
    </div>
  )
}

type HealthLineProps = { Icon: LucideIcon; name: string; note?: ReactNode; children: ReactNode }
