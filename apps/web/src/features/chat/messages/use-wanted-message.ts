import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { ConversationState } from '../conversation/conversation-state.ts'

/** Time for which the linked message is highlighted and kept in place while content around it renders. */
const SHOWN_MS = 2_000

/** A message that a link leads to. */
export interface WantedMessage {
  id: string
  /** True for an address opened from outside of the app; such a link changes nothing before a click. */
  isFromOutside: boolean
  /** Called once the message is in view or can't be found, because a link is followed only once. */
  onSettled: () => void
}

/**
 * Brings a message into view: loads older ones until it is there, and shows another version of the conversation when it is
 * in that. Gives the id of the message that stands out for a moment.
 */
export function useWantedMessage({
  wantedMessage,
  state,
  scroller,
  content,
  onLoadOlder,
  onShowVersion,
}: Options): string | null {
  const [shownId, setShownId] = useState<string | null>(null)
  const [askedVersionOf, setAskedVersionOf] = useState<string | null>(null)
  const { items, older, previousCursor } = state
  const id = wantedMessage?.id ?? null
  const isThere = id !== null && items.some((item) => item.id === id)
  const settledId = useRef<string | null>(null)
  const act = useEffectEvent(() => {
    if (id === null) settledId.current = null
    if (id === null || items.length === 0 || settledId.current === id) return
    if (isThere) {
      settledId.current = id
      setShownId(id)
      wantedMessage?.onSettled()
    } else if (previousCursor !== null) {
      if (older === 'idle') onLoadOlder()
      else if (older === 'failed') wantedMessage?.onSettled()
    } else if (askedVersionOf !== id) {
      setAskedVersionOf(id)
      onShowVersion(id)
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: acts when one of these changes
  useEffect(() => act(), [id, isThere, items, older, previousCursor])

  useEffect(() => {
    if (shownId === null || !scroller.current || !content.current) return
    const stopping = new AbortController()
    const reveal = () =>
      content.current?.querySelector(`[data-message="${shownId}"]`)?.scrollIntoView({ block: 'center' })
    reveal()
    // formulas, pictures and colours of code come later and would push it away
    const observer = new ResizeObserver(reveal)
    observer.observe(content.current)
    for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
      scroller.current.addEventListener(type, () => observer.disconnect(), { signal: stopping.signal, passive: true })
    }
    const timer = setTimeout(() => setShownId(null), SHOWN_MS)
    return () => {
      stopping.abort()
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [shownId, scroller, content])
  return shownId
}

interface Options {
  wantedMessage: WantedMessage | null
  state: Pick<ConversationState, 'items' | 'older' | 'previousCursor'>
  scroller: RefObject<HTMLElement | null>
  content: RefObject<HTMLElement | null>
  onLoadOlder: () => void
  onShowVersion: (messageId: string) => void
}
