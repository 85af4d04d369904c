import type { RemindersData } from '@mira/shared'
import { AlarmClock, CircleCheck, Repeat } from 'lucide-react'
import { DueTime } from '../../../lib/due-time.tsx'
import { useText } from '../../../lib/i18n.ts'
import { useSettings } from '../../../lib/settings.ts'
import { Badge } from '../../../ui/badge.tsx'

/** The reminders that a call was about. */
export function RemindersResult({ answer: { action, reminders } }: { answer: RemindersData }) {
  const text = useText('agents')
  const { timezone } = useSettings()
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p className="text-14 font-medium">
        {reminders.length === 0 ? text('reminders.none') : text(`reminders.${action}`, { count: reminders.length })}
      </p>
      {reminders.length > 0 && (
        <ul className="divide-y divide-border rounded-card border border-border bg-surface-raised">
          {reminders.map(({ id, text: what, due_at, time_zone, recurrence, state }) => (
            <li key={id} className="flex min-w-0 items-center gap-3 px-4 py-2.5">
              {state === 'active' ? (
                <AlarmClock aria-hidden className="size-4 shrink-0 text-accent-text" />
              ) : (
                <CircleCheck aria-hidden className="size-4 shrink-0 text-success-text" />
              )}
              <span className="min-w-0 flex-1">
                <span className="block text-14 break-words">{what}</span>
                <DueTime moment={due_at} zone={time_zone ?? timezone} className="text-12 text-muted" />
              </span>
              {recurrence !== null && <Badge icon={<Repeat aria-hidden />}>{recurrence}</Badge>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
