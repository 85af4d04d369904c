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
import { type FactChanges, movedClock, useOwnFacts } from './use-own-facts.ts'

type Way = 'set' | 'shift'
const units = { days: 86_400, hours: 3600, minutes: 60 } as const
type Unit = keyof typeof units

/** Sets the date and time of items, or shifts them all by the same amount. */
export function DateDialog({ items, onClose }: DateDialogProps) {
  const text = useText('gallery')
  const format = useFormat()
  const errorText = useErrorText()
  const change = useOwnFacts()
  const first = items.find(({ takenLocal }) => takenLocal !== null)
  const [way, setWay] = useState<Way>('set')
  const [clock, setClock] = useState(first?.takenLocal ?? '')
  const [direction, setDirection] = useState<'later' | 'earlier'>('later')
  const [amounts, setAmounts] = useState<Record<Unit, string>>({ days: '0', hours: '0', minutes: '0' })
  const [error, setError] = useDialogError()
  const [isSaving, setIsSaving] = useState(false)

  const amountOf = (unit: Unit) => typedNumber(amounts[unit].trim() || '0')
  const shift = (Object.keys(units) as Unit[]).reduce((sum, unit) => sum + amountOf(unit) * units[unit], 0)
  const shiftSeconds = direction === 'later' ? shift : -shift
  const changes: FactChanges = way === 'set' ? { taken_at: clock } : { shift_seconds: shiftSeconds }
  const canShift = Number.isInteger(shift) && shift !== 0 && Math.abs(shift) <= MAX_SHIFT_SECONDS && first !== undefined

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
      canSubmit={way === 'set' ? clock !== '' : canShift}
    >
      <div className="flex flex-col gap-4">
        {first !== undefined && (
          <ChoiceCards<Way>
            label={text('facts.way')}
            labelHidden
            choices={[
              { value: 'set', label: text('facts.set') },
              { value: 'shift', label: text('facts.shift') },
            ]}
            value={way}
            onValueChange={setWay}
          />
        )}
        {way === 'set' ? (
          <TextField
            type="datetime-local"
            step={1}
            min="1826-01-01T00:00"
            label={text('facts.dateAndTime')}
            hint={text('facts.clockHint')}
            error={error ?? undefined}
            value={clock}
            onChange={(event) => setClock(event.target.value)}
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
              {(Object.keys(units) as Unit[]).map((unit) => (
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
            {canShift && first?.takenLocal && (
              <p aria-live="polite" className="text-13 text-muted">
                {text('facts.preview', {
                  name: first.name,
                  before: format.wallClock(first.takenLocal),
                  after: format.wallClock(movedClock(first.takenLocal, shiftSeconds)),
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
