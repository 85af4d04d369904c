import type { PromptJson } from '@mira/shared'
import { fillPrompt } from '@mira/shared/words/prompts'
import { type FormEvent, useState } from 'react'
import { useText } from '../../../lib/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/text-area.tsx'

/** Asks for what a prompt leaves open; what stays empty stays open. */
export function FillPromptDialog({ prompt, onFilled, onClose }: FillPromptDialogProps) {
  const text = useText('chat')
  const common = useText('app')
  const [values, setValues] = useState<Record<string, string>>({})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // the message is not sent yet
    event.stopPropagation()
    const given = Object.entries(values).filter(([, value]) => value.trim() !== '')
    onFilled(fillPrompt(prompt.text, Object.fromEntries(given)))
  }
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={prompt.title}
      description={text('prompts.fillText')}
      closeLabel={common('common.close')}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{common('common.cancel')}</Button>
          <Button type="submit" variant="primary">
            {text('prompts.insert')}
          </Button>
        </>
      }
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
    </Dialog>
  )
}

type FillPromptDialogProps = { prompt: PromptJson; onFilled: (text: string) => void; onClose: () => void }
