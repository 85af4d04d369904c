import type { ChatSessionJson } from '@mira/shared'
import { CircleCheck, Eye, RotateCcw, Trash2 } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import type { SessionListProps } from './session-list.ts'

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
