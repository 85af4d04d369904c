import { MAX_SHIFT_SECONDS } from '@mira/shared/constants/limits'
import { useState } from 'react'
import { FormDialog } from '../../lib/components/form-dialog.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { typedNumber } from '../../lib/format/typed-number.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { ChoiceCards } from '../../ui/choice-cards.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useDialogError } from '../../ui/use-dialog-error.ts'
import type { GridItem } from './library-items.ts'
import { type FactChanges, shiftLocalTime, useFactChanges } from './use-fact-changes.ts'

type Mode = 'set' | 'shift'
const unitSeconds = { days: 86_400, hours: 3600, minutes: 60 } as const
type Unit = keyof typeof unitSeconds

/** Sets the date and time of items, or shifts them all by the same amount. */
export function DateDialog({ items, onClose }: DateDialogProps) {
  const text = useText('gallery')
  const format = useFormat()
  const errorText = useErrorText()
  const change = useFactChanges()
  const firstDated = items.find(({ takenLocal }) => takenLocal !== null)
  const [mode, setMode] = useState<Mode>('set')
  const [localTime, setLocalTime] = useState(firstDated?.takenLocal ?? '')
  const [direction, setDirection] = useState<'later' | 'earlier'>('later')
  const [amounts, setAmounts] = useState<Record<Unit, string>>({ days: '0', hours: '0', minutes: '0' })
  const [error, setError] = useDialogError()
  const [isSaving, setIsSaving] = useState(false)

  const amountOf = (unit: Unit) => typedNumber(amounts[unit].trim() || '0')
  const shift = (Object.keys(unitSeconds) as Unit[]).reduce((sum, unit) => sum + amountOf(unit) * unitSeconds[unit], 0)
  const shiftSeconds = direction === 'later' ? shift : -shift
  const changes: FactChanges = mode === 'set' ? { taken_at: localTime } : { shift_seconds: shiftSeconds }
  const canShift =
    Number.isInteger(shift) && shift !== 0 && Math.abs(shift) <= MAX_SHIFT_SECONDS && firstDated !== undefined

  const save = async () => {
    setIsSaving(true)
    try {
      await change(items, changes)
      onClose()
    } catch (failure) {
      console.error('Dates could not be changed', failure)
      setError(errorText(failure))
      setIsSaving(false)
    }
  }

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('facts.dateTitle', { count: items.length })}
      size="sm"
      onSubmit={() => void save()}
      submitLabel={text('edit.save')}
      isBusy={isSaving}
      canSubmit={mode === 'set' ? localTime !== '' : canShift}
    >
      <div className="flex flex-col gap-4">
        {firstDated !== undefined && (
          <ChoiceCards<Mode>
            label={text('facts.way')}
            labelHidden
            choices={[
              { value: 'set', label: text('facts.set') },
              { value: 'shift', label: text('facts.shift') },
            ]}
            value={mode}
            onValueChange={setMode}
          />
        )}
        {mode === 'set' ? (
          <TextField
            type="datetime-local"
            step={1}
            min="1826-01-01T00:00"
            label={text('facts.dateAndTime')}
            hint={text('facts.clockHint')}
            error={error ?? undefined}
            value={localTime}
            onChange={(event) => setLocalTime(event.target.value)}
            data-autofocus=""
          />
        ) : (
          <>
            <Select<'later' | 'earlier'>
              label={text('facts.direction')}
              options={[
                { value: 'later', label: text('facts.later') },
                { value: 'earlier', label: text('facts.earlier') },
              ]}
              value={direction}
              onValueChange={setDirection}
            />
            <div className="grid grid-cols-3 gap-3">
              {(Object.keys(unitSeconds) as Unit[]).map((unit) => (
                <NumberField
                  key={unit}
                  label={text(`facts.${unit}`)}
                  value={amounts[unit]}
                  error={Number.isNaN(amountOf(unit)) ? text('facts.notWhole') : undefined}
                  onChange={(event) => setAmounts((before) => ({ ...before, [unit]: event.target.value }))}
                />
              ))}
            </div>
            {error && (
              <p role="alert" className="text-13 text-danger-text">
                {error}
              </p>
            )}
            {canShift && firstDated?.takenLocal && (
              <p aria-live="polite" className="text-13 text-muted">
                {text('facts.preview', {
                  name: firstDated.name,
                  before: format.localDateTime(firstDated.takenLocal),
                  after: format.localDateTime(shiftLocalTime(firstDated.takenLocal, shiftSeconds)),
                })}
              </p>
            )}
          </>
        )}
      </div>
    </FormDialog>
  )
}

type DateDialogProps = { items: readonly GridItem[]; onClose: () => void }
