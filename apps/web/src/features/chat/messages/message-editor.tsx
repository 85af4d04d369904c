import { MESSAGE_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { TextArea } from '../../../ui/text-area.tsx'

/** True for the keys that send a message: Ctrl or ⌘ and Enter always, Enter alone if the user has it so. */
export function asksToSend({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, enterSends: boolean): boolean {
  return key === 'Enter' && !shiftKey && (enterSends || ctrlKey || metaKey)
}

/** An own message while it is changed: Enter sends it as another version, Escape leaves it as it was. */
export function MessageEditor({ content, isBusy, hasPictures, onSend, onCancel }: MessageEditorProps) {
  const text = useText('chat')
  const common = useText('app')
  const { enterSends } = useSettings()
  const [draft, setDraft] = useState(content)
  const length = draft.trim().length
  const canSend = !isBusy && (length > 0 || hasPictures) && length <= MESSAGE_MAX_CHARACTERS

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canSend) onSend(draft)
  }
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (event.key === 'Escape') {
      event.preventDefault()
      onCancel()
    }
    if (!asksToSend(event, enterSends)) return
    event.preventDefault()
    if (canSend && !event.repeat) onSend(draft)
  }
  return (
    <form onSubmit={submit} className="flex w-full flex-col gap-2">
      <TextArea
        label={text('messages.editLabel')}
        labelHidden
        rows={2}
        value={draft}
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={handleKey}
      />
      <div className="flex justify-end gap-2">
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {common('common.cancel')}
        </Button>
        <Button size="sm" variant="primary" type="submit" disabled={!canSend}>
          {text('composer.send')}
        </Button>
      </div>
    </form>
  )
}

type MessageEditorProps = {
  content: string
  isBusy: boolean
  hasPictures: boolean
  onSend: (content: string) => void
  onCancel: () => void
}
