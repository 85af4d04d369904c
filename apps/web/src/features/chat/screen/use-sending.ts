import { useCallback, useEffect, useRef } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { dismissToast, showToast } from '../../../ui/show-toast.ts'
import { useChat } from '../chat-context.ts'
import { returnToField } from '../composer/return-to-field.ts'
import { MAX_WAITING } from '../conversation/message-queue.ts'
import type { Withdrawn } from '../conversation/message-sender.ts'

interface SendingOptions {
  /** Runs before a message is sent right away. */
  onBegin: () => void
  /** Runs after a message was sent right away. */
  onSent: () => void
}

/** Sends the composed message, or queues it while an answer is generated; queued messages can be edited or removed. */
export function useSending({ onBegin, onSent }: SendingOptions) {
  const { conversation, state, field, message } = useChat()
  const text = useText('chat')
  const fullToast = useRef(0)
  const showFull = () => {
    dismissToast(fullToast.current)
    fullToast.current = showToast({ tone: 'warning', title: text('queue.full', { count: state.queued.length }) })
  }

  const send = () => {
    const { draft, setDraft, pictures, attached, named } = message
    const options = { pictures: pictures.pictures, media: attached.media, mentions: named?.mentions ?? [] }
    if (state.activity !== 'idle') {
      if (!conversation.sendLater(draft, options)) {
        if (state.queued.length >= MAX_WAITING) showFull()
        return
      }
    } else {
      onBegin()
      if (!conversation.send(draft, options)) return
      onSent()
    }
    setDraft('')
    pictures.handOver()
    attached.clear()
    named?.clear()
  }

  // Messages are rendered again only when they change, so these functions stay the same.
  const latest = useRef(message)
  useEffect(() => {
    latest.current = message
  })
  const giveBack = useCallback(
    (withdrawn: Withdrawn) => {
      const { draft, setDraft, pictures, attached, named } = latest.current
      setDraft([draft, withdrawn.content].filter((part) => part.trim() !== '').join('\n\n'))
      pictures.giveBack(withdrawn.pictures)
      if (withdrawn.media.length > 0) attached.add(withdrawn.media)
      if (withdrawn.mentions.length > 0) named?.add(withdrawn.mentions)
      requestAnimationFrame(() => field.current?.focus())
    },
    [field],
  )
  const edit = useCallback(async (key: string) => giveBack(await conversation.withdraw(key)), [conversation, giveBack])
  const remove = async (key: string) => {
    const withdrawn = await conversation.withdraw(key)
    returnToField(field)
    showToast({
      title: text('queue.removed'),
      action: { label: text('queue.undo'), onSelect: () => giveBack(withdrawn) },
    })
  }

  return {
    send,
    /** Stable. */
    edit,
    /** A toast offers to undo it. */
    remove: (key: string) => void remove(key),
  }
}
