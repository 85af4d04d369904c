import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { dismissToast, showToast } from '../../../ui/show-toast.ts'
import { returnToField } from '../composer/return-to-field.ts'
import type { ChosenMedia } from '../composer/use-attached.ts'
import type { ChosenPictures } from '../composer/use-pictures.ts'
import type { ChosenMentions } from '../mentions/use-mentions.ts'
import type { Conversation } from './conversation.ts'
import type { ConversationState } from './conversation-state.ts'
import { MAX_WAITING } from './message-queue.ts'
import type { Withdrawn } from './message-sender.ts'

/** A message that is being written, and what goes with it. */
interface ComposedMessage {
  draft: string
  onDraftChange: (draft: string) => void
  pictures: ChosenPictures
  attached: ChosenMedia
  named: ChosenMentions
}

interface SendingOptions {
  conversation: Conversation
  state: Pick<ConversationState, 'activity' | 'queued'>
  field: RefObject<HTMLTextAreaElement | null>
  composed: ComposedMessage
  /** A message is about to be sent at once. */
  onBegin: () => void
  /** It was. */
  onSent: () => void
}

/** Sends what is composed, or lets it wait while an answer is made; what waits comes back to be edited, or is left out. */
export function useSending({ conversation, state, field, composed, onBegin, onSent }: SendingOptions) {
  const text = useText('chat')
  const toldFull = useRef(0)
  const tellFull = () => {
    dismissToast(toldFull.current)
    toldFull.current = showToast({ tone: 'warning', title: text('queue.full', { count: state.queued.length }) })
  }

  const send = () => {
    const { draft, pictures, attached, named } = composed
    const options = { pictures: pictures.pictures, media: attached.media, mentions: named.mentions }
    if (state.activity !== 'idle') {
      if (!conversation.sendLater(draft, options)) {
        if (state.queued.length >= MAX_WAITING) tellFull()
        return
      }
    } else {
      onBegin()
      if (!conversation.send(draft, options)) return
      onSent()
    }
    composed.onDraftChange('')
    pictures.handOver()
    attached.clear()
    named.clear()
  }

  // Messages are drawn again only when they change: what is handed to them stays the same.
  const latest = useRef(composed)
  useEffect(() => {
    latest.current = composed
  })
  const giveBack = useCallback(
    (taken: Withdrawn) => {
      const { draft, onDraftChange, pictures, attached, named } = latest.current
      onDraftChange([draft, taken.content].filter((part) => part.trim() !== '').join('\n\n'))
      pictures.giveBack(taken.pictures)
      if (taken.media.length > 0) attached.add(taken.media)
      if (taken.mentions.length > 0) named.add(taken.mentions)
      requestAnimationFrame(() => field.current?.focus())
    },
    [field],
  )
  const edit = useCallback(async (key: string) => giveBack(await conversation.withdraw(key)), [conversation, giveBack])
  const leaveOut = async (key: string) => {
    const taken = await conversation.withdraw(key)
    returnToField(field)
    showToast({
      title: text('queue.removed'),
      action: { label: text('queue.undo'), onSelect: () => giveBack(taken) },
    })
  }

  return {
    send,
    /** Stays the same function. */
    edit,
    /** It can be taken back for a while. */
    leaveOut: (key: string) => void leaveOut(key),
  }
}
