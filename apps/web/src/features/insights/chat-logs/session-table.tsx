import type { ChatSessionJson } from '@mira/shared'
import { Timer } from 'lucide-react'
import { Link } from 'react-router-dom'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, SortHeaderCell, Table } from '../../../ui/table.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { nextOrder, type SessionFilters } from './session-filters.ts'
import {
  responseTimeText,
  SelectAll,
  SessionActions,
  SessionBadges,
  type SessionListProps,
  withSelected,
} from './session-list.tsx'

/** The conversations of a page as a table. */
export function SessionTable({ filters, onSort, ...list }: SessionTableProps) {
  const text = useText('chat-logs')
  const sortCell = (sort: SessionFilters['sort']) => ({
    direction:
      filters.sort !== sort ? null : filters.order === 'asc' ? ('ascending' as const) : ('descending' as const),
    onSort: () => onSort({ sort, order: nextOrder(filters, sort) }),
  })
  return (
    <Table label={text('table.label')} firstColumns={2}>
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

/** Response time below the tokens: a column of its own would take space from the names. */
function ResponseTime({ seconds }: { seconds: number }) {
  const text = useText('chat-logs')
  const time = responseTimeText(seconds, useFormat())
  const words = text('card.response', { time })
  return (
    <span title={words} className="flex items-center justify-end gap-1 text-12 whitespace-nowrap text-muted">
      <Timer aria-hidden className="size-3 shrink-0" />
      <span aria-hidden>{time}</span>
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  )
}

export type SessionTableProps = SessionListProps & {
  filters: SessionFilters
  onSort: (sort: Pick<SessionFilters, 'sort' | 'order'>) => void
}
type SessionRowProps = Omit<SessionListProps, 'sessions'> & { session: ChatSessionJson }
