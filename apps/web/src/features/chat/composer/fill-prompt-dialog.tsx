import type { PromptJson } from '@mira/shared'
import { fillPrompt } from '@mira/shared/constants/prompts'
import { useState } from 'react'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import { TextArea } from '../../../ui/text-area.tsx'

/** Form for the variables of a prompt; a variable left empty stays in the text as it is. */
export function FillPromptDialog({ prompt, onFilled, onClose }: FillPromptDialogProps) {
  const text = useText('chat')
  const [values, setValues] = useState<Record<string, string>>({})
  const submit = () => {
    const filledValues = Object.entries(values).filter(([, value]) => value.trim() !== '')
    onFilled(fillPrompt(prompt.text, Object.fromEntries(filledValues)))
  }
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={prompt.title}
      description={text('prompts.fillText')}
      onSubmit={submit}
      submitLabel={text('prompts.insert')}
    >
      <div className="flex flex-col gap-4">
        {prompt.variables.map((name, index) => (
          <TextArea
            key={name}
            label={name}
            rows={1}
            autoFocus={index === 0}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
        ))}
      </div>
    </FormDialog>
  )
}

type FillPromptDialogProps = { prompt: PromptJson; onFilled: (text: string) => void; onClose: () => void }
