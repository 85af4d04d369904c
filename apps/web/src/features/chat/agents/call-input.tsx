import { Play, Square } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/text-field.tsx'

/** As in the contract: AGENT_INPUT_MAX_CHARACTERS. */
const INPUT_MAX_CHARACTERS = 4000

/** One line to an agent; while it works, its button stops it. */
export function CallInput({
  isRunning,
  isFirst = false,
  submitLabel,
  onChange,
  onSubmit,
  onStop,
  ...input
}: CallInputProps) {
  const text = useText('agents')
  const isBlank = input.value.trim() === ''
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBlank && !isRunning) onSubmit()
      }}
      className="flex flex-col gap-2 sm:flex-row"
    >
      <TextField
        {...input}
        // not where a keyboard would rise over the dialog
        data-autofocus={(isFirst && matchMedia('(pointer: fine)').matches) || undefined}
        labelHidden
        autoComplete="off"
        enterKeyHint="go"
        maxLength={INPUT_MAX_CHARACTERS}
        onChange={(event) => onChange(event.target.value)}
        className="min-w-0 flex-1"
      />
      {isRunning ? (
        <Button
          size="lg"
          className="sm:h-10"
          icon={<Square aria-hidden fill="currentColor" className="scale-75" />}
          onClick={onStop}
        >
          {text('call.stop')}
        </Button>
      ) : (
        <Button
          type="submit"
          size="lg"
          className="sm:h-10"
          variant="primary"
          disabled={isBlank}
          icon={<Play aria-hidden />}
        >
          {submitLabel}
        </Button>
      )}
    </form>
  )
}

export type CallInputProps = {
  label: string
  placeholder?: string
  value: string
  isRunning: boolean
  /** Has the focus when its dialog opens. */
  isFirst?: boolean
  submitLabel: string
  onChange: (value: string) => void
  onSubmit: () => void
  onStop: () => void
}
