import type { ReminderJson, UpdateReminderJson } from '@mira/shared'
import { REMINDER_TEXT_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { fromZonedField, toZonedField, zonePlace } from '../../../lib/format/time-zones.ts'
import { fieldErrors, useErrorText } from '../../../lib/i18n/error-text.ts'
import { useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { remindersKey } from './reminder-queries.ts'

/** Changes what a reminder says and when it is due, by the clock of its zone. */
export function EditReminder({ reminder, onClose }: { reminder: ReminderJson; onClose: () => void }) {
  const text = useText('reminders')
  const errors = useText('errors')
  const language = useLanguage()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [draftText, setDraftText] = useState(reminder.text)
  const [dueAt, setDueAt] = useState(() => toZonedField(reminder.due_at, reminder.time_zone))
  const [failure, setFailure] = useState<unknown>(null)
  const [isSaving, setIsSaving] = useState(false)
  const wrong = fieldErrors(errors, language, failure)

  const save = async () => {
    const changes: UpdateReminderJson = {
      ...(draftText.trim() === reminder.text ? {} : { text: draftText }),
      ...(dueAt === toZonedField(reminder.due_at, reminder.time_zone)
        ? {}
        : { due_at: fromZonedField(dueAt, reminder.time_zone).toISOString() }),
    }
    setIsSaving(true)
    try {
      await call('PATCH /reminders/:id', { params: { id: reminder.id }, json: changes })
      void queries.invalidateQueries({ queryKey: remindersKey })
      onClose()
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
    >
      <div className="flex flex-col gap-4">
        <TextField
          label={text('text')}
          value={draftText}
          maxLength={REMINDER_TEXT_MAX_CHARACTERS}
          required
          data-autofocus=""
          error={wrong.text}
          onChange={(event) => setDraftText(event.target.value)}
        />
        <TextField
          label={text('when')}
          type="datetime-local"
          value={dueAt}
          hint={zonePlace(reminder.time_zone)}
          required
          error={wrong.due_at}
          onChange={(event) => setDueAt(event.target.value)}
        />
        {failure !== null && Object.keys(wrong).length === 0 && <InlineError text={errorText(failure)} />}
      </div>
    </FormDialog>
  )
}
