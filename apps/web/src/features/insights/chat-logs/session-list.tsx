import type { ChatSessionJson } from '@mira/shared'
import { CircleCheck, CircleDot, Eye, Frown, type LucideIcon, Meh, RotateCcw, Smile, Timer, Trash2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { Badge, type BadgeTone } from '../../../ui/badge.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, SortHeaderCell, Table } from '../../../ui/table.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { nextOrder, type SessionFilters } from './session-filters.ts'

/** Props shared by the table and the cards of conversations. */
interface SessionListProps {
  sessions: readonly ChatSessionJson[]
  selectedIds: ReadonlySet<string>
  onSelectedIdsChange: (ids: ReadonlySet<string>) => void
  onDelete: (session: ChatSessionJson) => void
  /** Conversations whose status is being changed. */
  changingIds: ReadonlySet<string>
  /** Toggles between active and completed. */
  onStatusChange: (session: ChatSessionJson) => void
}

/** Selection after one conversation was selected or deselected. */
export function withSelected(ids: ReadonlySet<string>, id: string, isSelected: boolean): Set<string> {
  const next = new Set(ids)
  if (isSelected) next.add(id)
  else next.delete(id)
  return next
}

/** Response time in words; in ms below 0.1 s, because answers without a language model would show "0.0 s". */
export function responseTimeText(seconds: number, format: Format): string {
  return seconds < 0.1 ? `${format.number(seconds * 1000)} ms` : format.duration(seconds)
}

/** Selects all conversations of the page; shows a dash for a partial selection. */
function SelectAll({ sessions, selectedIds, onSelectedIdsChange, labelHidden }: SelectAllProps) {
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

type BadgeLook = { tone: BadgeTone; Icon: LucideIcon }

const statusLooks: Record<ChatSessionJson['status'], BadgeLook> = {
  active: { tone: 'accent', Icon: CircleDot },
  completed: { tone: 'neutral', Icon: CircleCheck },
}

const sentimentLooks: Record<ChatSessionJson['sentiment'], BadgeLook> = {
  positive: { tone: 'success', Icon: Smile },
  neutral: { tone: 'neutral', Icon: Meh },
  negative: { tone: 'danger', Icon: Frown },
}

/** A conversation's status, and the mood of what the user wrote in it. */
function SessionBadges({ session: { status, sentiment } }: { session: ChatSessionJson }) {
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
function SessionActions({ session, onDelete, changingIds, onStatusChange }: SessionActionsProps) {
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

/** The conversations of a page as cards, for narrow windows. */
export function SessionCards(list: SessionListProps) {
  const { sessions, selectedIds, onSelectedIdsChange } = list
  const text = useText('chat-logs')
  const format = useFormat()
  return (
    <div>
      <div className="border-b border-border px-4 py-2">
        <SelectAll {...list} />
      </div>
      <ul aria-label={text('table.label')} className="divide-y divide-border">
        {sessions.map((session) => {
          const { id, session_name: name } = session
          const details = [
            text('card.messages', { count: session.message_count }),
            text('card.tokens', { count: session.tokens_used }),
          ]
          const seconds = session.avg_response_time
          if (seconds !== null) details.push(text('card.response', { time: responseTimeText(seconds, format) }))
          return (
            <li
              key={id}
              className={classNames('flex gap-3 py-3.5 pr-2 pl-4', selectedIds.has(id) && 'bg-row-selected')}
            >
              <Checkbox
                label={text('table.select', { name })}
                labelHidden
                checked={selectedIds.has(id)}
                onCheckedChange={(isChecked) => onSelectedIdsChange(withSelected(selectedIds, id, isChecked))}
              />
              <div className="min-w-0 flex-1">
                <Link
                  to={chatPath(id, session.snippet_message_id)}
                  className="line-clamp-2 rounded-control text-14 leading-snug font-medium"
                >
                  {name}
                </Link>
                <p className="mt-1 text-13 text-muted tabular-nums">
                  <RelativeTime moment={session.updated_at} /> · {details.join(' · ')}
                </p>
                {session.agent_used && <p className="mt-0.5 text-13 text-muted">{session.agent_used}</p>}
                <p className="mt-2">
                  <SessionBadges session={session} />
                </p>
              </div>
              <div className="flex shrink-0 flex-col">
                <SessionActions session={session} {...list} />
              </div>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** The conversations of a page as a table. */
export function SessionTable({ filters, onSort, ...list }: SessionTableProps) {
  const text = useText('chat-logs')
  const sortCell = (sort: SessionFilters['sort']) => ({
    direction:
      filters.sort !== sort ? null : filters.order === 'asc' ? ('ascending' as const) : ('descending' as const),
    onSort: () => onSort({ sort, order: nextOrder(filters, sort) }),
  })
  return (
    <Table label={text('table.label')} stickyColumns={2}>
      <thead>
        <tr>
          <HeaderCell>
            <SelectAll {...list} labelHidden />
          </HeaderCell>
          <SortHeaderCell {...sortCell('name')}>{text('table.session')}</SortHeaderCell>
          <HeaderCell>{text('table.agent')}</HeaderCell>
          <SortHeaderCell align="right" {...sortCell('messages')}>
            {text('table.messages')}
          </SortHeaderCell>
          <SortHeaderCell align="right" {...sortCell('tokens')}>
            {text('table.tokens')}
          </SortHeaderCell>
          <HeaderCell>{text('table.status')}</HeaderCell>
          <SortHeaderCell {...sortCell('updated')}>{text('table.updated')}</SortHeaderCell>
          <HeaderCell align="right">{text('table.actions')}</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {list.sessions.map((session) => (
          <SessionRow key={session.id} session={session} {...list} />
        ))}
      </tbody>
    </Table>
  )
}

function SessionRow({ session, selectedIds, onSelectedIdsChange, ...actions }: SessionRowProps) {
  const text = useText('chat-logs')
  const format = useFormat()
  const { id, session_name: name } = session
  return (
    <Row selected={selectedIds.has(id)}>
      <Cell>
        <Checkbox
          label={text('table.select', { name })}
          labelHidden
          checked={selectedIds.has(id)}
          onCheckedChange={(isChecked) => onSelectedIdsChange(withSelected(selectedIds, id, isChecked))}
        />
      </Cell>
      <RowHeaderCell className="w-full max-w-0 min-w-44">
        <Link
          to={chatPath(id, session.snippet_message_id)}
          title={name}
          className="block truncate rounded-control hover:text-accent-text"
        >
          {name}
        </Link>
      </RowHeaderCell>
      <Cell className="max-w-40 truncate">
        {session.agent_used ?? (
          <span className="text-muted">
            <span aria-hidden>—</span>
            <VisuallyHidden>{text('table.noAgent')}</VisuallyHidden>
          </span>
        )}
      </Cell>
      <Cell align="right">{format.number(session.message_count)}</Cell>
      <Cell align="right">
        {format.number(session.tokens_used)}
        {session.avg_response_time !== null && <ResponseTime seconds={session.avg_response_time} />}
      </Cell>
      <Cell>
        <SessionBadges session={session} />
      </Cell>
      <Cell className="whitespace-nowrap text-muted">
        <RelativeTime moment={session.updated_at} />
      </Cell>
      <Cell align="right" className="whitespace-nowrap">
        <SessionActions session={session} {...actions} />
      </Cell>
    </Row>
  )
}

/** Response time, shown below the tokens because a separate column would take space from the names. */
function ResponseTime({ seconds }: { seconds: number }) {
  const text = useText('chat-logs')
  const time = responseTimeText(seconds, useFormat())
  const labelText = text('card.response', { time })
  return (
    <span title={labelText} className="flex items-center justify-end gap-1 text-12 whitespace-nowrap text-muted">
      <Timer aria-hidden className="size-3 shrink-0" />
      <span aria-hidden>{time}</span>
      <VisuallyHidden>{labelText}</VisuallyHidden>
    </span>
  )
}

type SessionTableProps = SessionListProps & {
  filters: SessionFilters
  onSort: (sort: Pick<SessionFilters, 'sort' | 'order'>) => void
}
type SessionRowProps = Omit<SessionListProps, 'sessions'> & { session: ChatSessionJson }
