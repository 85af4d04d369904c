import type { Recurrence, ReminderJson, UpdateReminderJson } from '@mira/shared'
import { REMINDER_TEXT_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { AlarmClock, Check, EllipsisVertical, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { DueTime } from '../../../lib/components/due-time.tsx'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { fromZonedField, toZonedField, zonePlace } from '../../../lib/format/time-zones.ts'
import { fieldErrors, useErrorText } from '../../../lib/i18n/error-text.ts'
import { type Text, useLanguage, useLocale, useText } from '../../../lib/i18n/i18n.ts'
import { Badge } from '../../../ui/badge.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { InlineError } from '../../../ui/inline-error.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { remindersKey, remindersQuery, snoozeOptions } from './reminder-queries.ts'

/** Edits a reminder's text and due time, in its time zone. */
export function EditReminder({ reminder, onClose }: { reminder: ReminderJson; onClose: () => void }) {
  const text = useText('reminders')
  const errors = useText('errors')
  const language = useLanguage()
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const close = useCloseIfMounted(onClose)
  const [draftText, setDraftText] = useState(reminder.text)
  const [dueAt, setDueAt] = useState(() => toZonedField(reminder.due_at, reminder.time_zone))
  const [failure, setFailure] = useState<unknown>(null)
  const [isSaving, setIsSaving] = useState(false)
  const errorsByField = fieldErrors(errors, language, failure)
  const due = fromZonedField(dueAt, reminder.time_zone)

  const save = async () => {
    const changes: UpdateReminderJson = {
      ...(draftText.trim() === reminder.text ? {} : { text: draftText }),
      ...(dueAt === toZonedField(reminder.due_at, reminder.time_zone) ? {} : { due_at: due.toISOString() }),
    }
    setIsSaving(true)
    try {
      await call('PATCH /reminders/:id', { params: { id: reminder.id }, json: changes })
      void queryClient.invalidateQueries({ queryKey: remindersKey })
      close()
    } catch (error) {
      setFailure(error)
      setIsSaving(false)
    }
  }

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('editTitle')}
      onSubmit={() => void save()}
      submitLabel={text('save')}
      isBusy={isSaving}
      canSubmit={draftText.trim() !== '' && !Number.isNaN(due.getTime())}
    >
      <div className="flex flex-col gap-4">
        <TextField
          label={text('text')}
          value={draftText}
          maxLength={REMINDER_TEXT_MAX_CHARACTERS}
          required
          data-autofocus=""
          error={errorsByField.text}
          onChange={(event) => setDraftText(event.target.value)}
        />
        <TextField
          label={text('when')}
          type="datetime-local"
          value={dueAt}
          hint={zonePlace(reminder.time_zone)}
          required
          error={errorsByField.due_at}
          onChange={(event) => setDueAt(event.target.value)}
        />
        {failure !== null && Object.keys(errorsByField).length === 0 && <InlineError text={errorText(failure)} />}
      </div>
    </FormDialog>
  )
}

/** Recurrence of a reminder in words: "every 2 weeks (Mon, Thu), 09:00". */
function recurrenceText(text: Text<'reminders'>, locale: string, { every, unit, weekdays, time }: Recurrence): string {
  const names = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
  // 1 January 2024 was a Monday
  const days = weekdays?.map((day) => names.format(new Date(Date.UTC(2024, 0, day)))).join(', ')
  return `${text(`every.${unit}`, { count: every })}${days ? ` (${days})` : ''}${time ? `, ${time}` : ''}`
}

/** The user's active reminders, to edit, snooze, complete or delete. */
export function ReminderList() {
  const text = useText('reminders')
  const appText = useText('app')
  const query = useInfiniteQuery(remindersQuery)
  const [edited, setEdited] = useState<ReminderJson | null>(null)
  const all = query.data?.pages.flatMap(({ reminders }) => reminders) ?? []

  if (query.isLoadingError) return <LoadFailed query={query} />
  if (query.isPending) {
    return (
      <LoadingRegion label={appText('common.loading')}>
        <SkeletonText lines={3} />
      </LoadingRegion>
    )
  }
  if (all.length === 0) {
    return <EmptyState icon={<AlarmClock aria-hidden />} title={text('empty')} text={text('emptyHint')} level={3} />
  }
  return (
    <>
      <ul aria-label={text('list')} className="flex flex-col divide-y divide-border">
        {all.map((reminder) => (
          <ReminderRow key={reminder.id} reminder={reminder} onEdit={() => setEdited(reminder)} />
        ))}
      </ul>
      <NextPage query={query} label={text('more')} />
      {edited && <EditReminder key={edited.id} reminder={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

/** A reminder with its actions. */
export function ReminderRow({ reminder, onEdit }: { reminder: ReminderJson; onEdit: () => void }) {
  const text = useText('reminders')
  const locale = useLocale()
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const confirm = useConfirm()
  const { id, due_at, fired_at, completed_at, recurrence } = reminder
  const hasOpenOccurrence = fired_at !== null && (completed_at === null || new Date(completed_at) < new Date(fired_at))

  const change = (work: Promise<unknown>) =>
    work
      .catch((error: unknown) => showToast({ tone: 'danger', title: text('failed'), description: errorText(error) }))
      .finally(() => void queryClient.invalidateQueries({ queryKey: remindersKey }))
  const remove = async () => {
    const isConfirmed = await confirm({
      question: text('deleteQuestion'),
      detail: recurrence ? text('deleteSeries') : reminder.text,
      confirmLabel: text('delete'),
      tone: 'danger',
    })
    if (isConfirmed) await change(call('DELETE /reminders/:id', { params: { id } }))
  }
  const snoozeEntries = snoozeOptions.map(({ minutes, label }) => ({
    key: String(minutes),
    label: text('snooze', { time: text(label) }),
    icon: <AlarmClock aria-hidden />,
    onSelect: () => void change(call('POST /reminders/:id/snooze', { params: { id }, json: { minutes } })),
  }))

  return (
    <li className="flex items-center gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="text-14 font-medium wrap-anywhere">{reminder.text}</p>
        <p className="flex flex-wrap items-center gap-x-2 text-13 text-muted">
          <DueTime moment={due_at} zone={reminder.time_zone} />
          {recurrence && <span>{recurrenceText(text, locale, recurrence)}</span>}
          {new Date(due_at) <= new Date() && <Badge tone="warning">{text('overdue')}</Badge>}
        </p>
      </div>
      <IconButton
        name={text('doneNamed', { text: reminder.text })}
        icon={<Check aria-hidden />}
        onClick={() =>
          void change(
            call('POST /reminders/:id/complete', {
              params: { id },
              json: { due_at: hasOpenOccurrence ? fired_at : due_at },
            }),
          )
        }
      />
      <DropdownMenu
        align="end"
        trigger={
          <IconButton name={text('actionsOf', { text: reminder.text })} icon={<EllipsisVertical aria-hidden />} />
        }
        entries={[
          { key: 'edit', label: text('edit'), icon: <Pencil aria-hidden />, onSelect: onEdit },
          ...snoozeEntries,
          {
            key: 'delete',
            label: text('delete'),
            icon: <Trash2 aria-hidden />,
            tone: 'danger',
            onSelect: () => void remove(),
          },
        ]}
      />
    </li>
  )
}
