import { useRef, useState } from 'react'
import { type Chat, ChatContext } from '../chat-context.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import { Composer } from './composer.tsx'
import type { ChosenMedia, ComposedMessage } from './use-message.ts'
import type { ChosenPictures } from './use-pictures.ts'

const noop = () => {}

export const noPictures: ChosenPictures = {
  pictures: [],
  add: noop,
  remove: noop,
  clear: noop,
  release: noop,
  restore: noop,
}
export const noMedia: ChosenMedia = { media: [], add: noop, remove: noop, clear: noop }
export const noFiles: ComposedMessage['files'] = { isAvailable: true, uploads: [], add: noop, cancel: noop }

/** Composer with an empty draft, in an otherwise empty chat. */
export function TestComposer({ activity = 'idle', onSend = noop, onStop = noop, ...parts }: TestComposerProps) {
  const [draft, setDraft] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const message: ComposedMessage = {
    draft,
    setDraft,
    addToDraft: (text) => setDraft(draft + text),
    pictures: noPictures,
    attached: noMedia,
    files: noFiles,
    isAttaching: false,
    ...parts,
  }
  const chat = { field, message, state: { activity, isStopping: false } } as unknown as Chat
  return (
    <ChatContext value={chat}>
      <Composer onSend={onSend} onStop={onStop} />
    </ChatContext>
  )
}

type TestComposerProps = Partial<Omit<ComposedMessage, 'draft' | 'setDraft' | 'addToDraft'>> & {
  activity?: ConversationState['activity']
  onSend?: () => void
  onStop?: () => void
}
