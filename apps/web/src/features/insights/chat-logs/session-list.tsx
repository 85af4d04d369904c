import type { ChatSessionJson } from '@mira/shared'
import { CircleCheck, CircleDot, Eye, Frown, type LucideIcon, Meh, RotateCcw, Smile, Trash2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import type { Format } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'

/** Props shared by the table and the cards of conversations. */
export interface SessionListProps {
  sessions: readonly ChatSessionJson[]
  selectedIds: ReadonlySet<string>
  onSelectedIdsChange: (ids: ReadonlySet<string>) => void
  onDelete: (session: ChatSessionJson) => void
  /** Being marked completed or active right now. */
  changingIds: ReadonlySet<string>
  /** Marks an active one completed, and a completed one active. */
  onStatusChange: (session: ChatSessionJson) => void
}

/** The selection after one conversation was ticked or unticked. */
export function withSelected(ids: ReadonlySet<string>, id: string, isSelected: boolean): Set<string> {
  const next = new Set(ids)
  if (isSelected) next.add(id)
  else next.delete(id)
  return next
}

/** Response time in words; in ms below 0.1 s, as answers without a language model would show "0.0 s". */
export function responseTimeText(seconds: number, format: Format): string {
  return seconds < 0.1 ? `${format.number(seconds * 1000)} ms` : format.duration(seconds)
}

/** Ticks every conversation of the page; a dash says that some are ticked. */
export function SelectAll({ sessions, selectedIds, onSelectedIdsChange, labelHidden }: SelectAllProps) {
  const text = useText('chat-logs')
  const areAllSelected = sessions.length > 0 && selectedIds.size === sessions.length
  return (
    <Checkbox
      label={text('table.selectAll')}
      labelHidden={labelHidden}
      checked={areAllSelected}
      indeterminate={selectedIds.size > 0 && !areAllSelected}
      disabled={sessions.length === 0}
      onCheckedChange={(isChecked) => onSelectedIdsChange(new Set(isChecked ? sessions.map(({ id }) => id) : []))}
    />
  )
}

type SelectAllProps = Pick<SessionListProps, 'sessions' | 'selectedIds' | 'onSelectedIdsChange'> & {
  labelHidden?: boolean
}

type Look = { tone: BadgeTone; Icon: LucideIcon }

const statusLooks: Record<ChatSessionJson['status'], Look> = {
  active: { tone: 'accent', Icon: CircleDot },
  completed: { tone: 'neutral', Icon: CircleCheck },
}

const sentimentLooks: Record<ChatSessionJson['sentiment'], Look> = {
  positive: { tone: 'success', Icon: Smile },
  neutral: { tone: 'neutral', Icon: Meh },
  negative: { tone: 'danger', Icon: Frown },
}

/** A conversation's status, and the mood of what the user wrote in it. */
export function SessionBadges({ session: { status, sentiment } }: { session: ChatSessionJson }) {
  const text = useText('chat-logs')
  const Status = statusLooks[status]
  const Sentiment = sentimentLooks[sentiment]
  return (
    <span className="inline-flex flex-wrap gap-1.5 xl:flex-nowrap">
      <Badge tone={Status.tone} icon={<Status.Icon aria-hidden />}>
        {text(`statuses.${status}`)}
      </Badge>
      <Badge tone={Sentiment.tone} icon={<Sentiment.Icon aria-hidden />}>
        {text(`sentiments.${sentiment}`)}
      </Badge>
    </span>
  )
}

/** Icon buttons for one conversation. */
export function SessionActions({ session, onDelete, changingIds, onStatusChange }: SessionActionsProps) {
  const text = useText('chat-logs')
  const { id, session_name: name } = session
  const isActive = session.status === 'active'
  const StatusIcon = isActive ? CircleCheck : RotateCcw
  return (
    <>
      <Tooltip text={text('table.view', { name })} describes={false}>
        <Link
          to={chatPath(id)}
          aria-label={text('table.view', { name })}
          className="inline-flex size-8 shrink-0 touch-target items-center justify-center rounded-control text-muted shade-on-hover hover:text-text"
        >
          <Eye aria-hidden className="size-4" />
        </Link>
      </Tooltip>
      <IconButton
        name={text(isActive ? 'table.markCompleted' : 'table.markActive', { name })}
        icon={changingIds.has(id) ? <Spinner size="sm" /> : <StatusIcon aria-hidden />}
        size="sm"
        onClick={() => onStatusChange(session)}
      />
      <IconButton
        name={text('table.delete', { name })}
        icon={<Trash2 aria-hidden />}
        variant="danger"
        size="sm"
        onClick={() => onDelete(session)}
      />
    </>
  )
}

type SessionActionsProps = Pick<SessionListProps, 'onDelete' | 'changingIds' | 'onStatusChange'> & {
  session: ChatSessionJson
}
