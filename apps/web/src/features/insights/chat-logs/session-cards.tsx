import { Link } from 'react-router-dom'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { classNames } from '../../../ui/class-names.ts'
import {
  responseTimeText,
  SelectAll,
  SessionActions,
  SessionBadges,
  type SessionListProps,
  withSelected,
} from './session-list.tsx'

/** The conversations of a page one below the other, for narrow windows. */
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
          const facts = [
            text('card.messages', { count: session.message_count }),
            text('card.tokens', { count: session.tokens_used }),
          ]
          const seconds = session.avg_response_time
          if (seconds !== null) facts.push(text('card.response', { time: responseTimeText(seconds, format) }))
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
                  <RelativeTime moment={session.updated_at} /> · {facts.join(' · ')}
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
