import type { ReminderJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { EditReminder, ReminderRow } from './reminder-list.tsx'
import { remindersQuery } from './reminder-queries.ts'

const MAX_SHOWN = 3

/** The next due reminders, to complete or snooze; hidden when there are none. */
export function UpNext() {
  const text = useText('reminders')
  const mayHaveReminders = can(useUser(), 'agents')
  const { data } = useInfiniteQuery({ ...remindersQuery, enabled: mayHaveReminders })
  const [edited, setEdited] = useState<ReminderJson | null>(null)
  const next = data?.pages[0]?.reminders.slice(0, MAX_SHOWN) ?? []
  if (!mayHaveReminders || next.length === 0) return null
  return (
    <Card>
      <CardHeader
        title={text('upNext')}
        className="mb-1"
        actions={
          <Link
            to={`${paths.agents}?agent=ReminderAgent`}
            className={buttonClass({ variant: 'ghost', size: 'sm', className: '-my-1 -mr-2' })}
          >
            {text('all')}
            <ArrowRight aria-hidden />
          </Link>
        }
      />
      <ul aria-label={text('upNext')} className="flex flex-col divide-y divide-border">
        {next.map((reminder) => (
          <ReminderRow key={reminder.id} reminder={reminder} onEdit={() => setEdited(reminder)} />
        ))}
      </ul>
      {edited && <EditReminder key={edited.id} reminder={edited} onClose={() => setEdited(null)} />}
    </Card>
  )
}
