import { ArrowDown } from 'lucide-react'
import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { Bubble, type BubbleProps } from './bubble.tsx'
import { groupByDay, useDayNames } from './days.ts'
import { useNearObserver, useOnSeen, Windowed } from './windowed.tsx'

/** Distance from the end within which a reader counts as being at the end. */
const NEAR_END_PX = 40
/** Fractional scroll positions may be off by this much at the end. */
const ROUNDING_PX = 2

/** Scroll position in a growing list of messages, and the elements that keep it. */
interface AutoScroll {
  scroller: RefObject<HTMLDivElement | null>
  content: RefObject<HTMLDivElement | null>
  isAtEnd: boolean
  scrollToEnd: (behaviour?: ScrollBehavior) => void
}

/**
 * Follows the end of growing content while the reader is at the end; otherwise keeps the reader's position, even when
 * something is inserted above it.
 *
 * @param viewKey changes when other content is shown; the view then scrolls to its end.
 * @param firstKey changes when something was inserted before the first message.
 */
function useAutoScroll(viewKey: string, firstKey: string | undefined): AutoScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [isAtEnd, setIsAtEnd] = useState(true)
  const following = useRef(true)
  const lastTop = useRef(0)
  const lastHeight = useRef(0)

  const setFollowing = useCallback((isFollowing: boolean) => {
    following.current = isFollowing
    setIsAtEnd(isFollowing)
  }, [])

  const scrollToEnd = useCallback(
    (behaviour: ScrollBehavior = 'instant') => {
      setFollowing(true)
      scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior: behaviour })
    },
    [setFollowing],
  )

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const handleScroll = () => {
      const distance = element.scrollHeight - element.clientHeight - element.scrollTop
      const isUpwards = element.scrollTop < lastTop.current
      lastTop.current = element.scrollTop
      // Any scrolling up stops following; scrolling down to near the end resumes it.
      if (distance <= ROUNDING_PX) setFollowing(true)
      else if (isUpwards) setFollowing(false)
      else if (distance <= NEAR_END_PX) setFollowing(true)
    }
    element.addEventListener('scroll', handleScroll, { passive: true })
    return () => element.removeEventListener('scroll', handleScroll)
  }, [setFollowing])

  useEffect(() => {
    if (!content.current || !scroller.current) return
    const element = scroller.current
    // The content grows, or the window shrinks: a keyboard opens, the composer gets another line.
    const observer = new ResizeObserver(() => {
      lastHeight.current = element.scrollHeight
      if (!following.current) return
      element.scrollTop = element.scrollHeight
      lastTop.current = element.scrollTop
    })
    observer.observe(content.current)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the end when viewKey changes
  useLayoutEffect(() => scrollToEnd(), [viewKey, scrollToEnd])

  // biome-ignore lint/correctness/useExhaustiveDependencies: acts when something was inserted before the first message
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const addedHeight = element.scrollHeight - lastHeight.current
    lastHeight.current = element.scrollHeight
    if (following.current) element.scrollTop = element.scrollHeight
    else if (addedHeight > 0) element.scrollTop += addedHeight
    lastTop.current = element.scrollTop
  }, [firstKey])

  return { scroller, content, isAtEnd, scrollToEnd }
}

/** Time for which the linked message is highlighted and kept in place while content around it renders. */
const HIGHLIGHT_MS = 2_000

/** A message that a link leads to. */
export interface RequestedMessage {
  id: string
  /** True for a URL opened from outside the app; such a link changes nothing until the user clicks. */
  isFromOutside: boolean
  /** Called once the message is in view, can't be loaded, or its version is requested: a link is followed only once. */
  onSettled: () => void
}

interface RequestedMessageOptions {
  requestedMessage: RequestedMessage | null
  state: Pick<ConversationState, 'sessionId' | 'items' | 'older' | 'previousCursor'>
  scroller: RefObject<HTMLElement | null>
  content: RefObject<HTMLElement | null>
  onLoadOlder: () => void
  /** Shows the version with a message; false when it couldn't be shown. */
  onShowVersion: (messageId: string) => Promise<boolean>
  /** Asks the user before a link from outside shows another version. */
  onOfferVersion: (onAccept: () => void) => void
}

/** A message that isn't in the shown version of the conversation; it's awaited once the version with it is requested. */
interface MissingMessage {
  id: string
  sessionId: string | null
  isVersionRequested: boolean
}

/**
 * Scrolls a linked message into view: loads older messages until it's found, or shows the version of the conversation that
 * contains it. Returns the id of the message to highlight for a moment.
 */
export function useRequestedMessage({
  requestedMessage,
  state,
  scroller,
  content,
  onLoadOlder,
  onShowVersion,
  onOfferVersion,
}: RequestedMessageOptions): string | null {
  const [shownId, setShownId] = useState<string | null>(null)
  const [missing, setMissing] = useState<MissingMessage | null>(null)
  const { sessionId, items, older: olderState, previousCursor } = state
  const isWaiting = missing?.isVersionRequested === true && missing.sessionId === sessionId
  const id = requestedMessage?.id ?? (isWaiting ? missing.id : null)
  const isLoaded = id !== null && items.some((item) => item.id === id)
  const settledId = useRef<string | null>(null)
  const requestVersion = (messageId: string) => {
    setMissing({ id: messageId, sessionId, isVersionRequested: true })
    void onShowVersion(messageId).then((isShown) => {
      if (!isShown) setMissing((latest) => (latest?.id === messageId ? null : latest))
    })
  }
  const act = useEffectEvent(() => {
    if (id === null) {
      settledId.current = null
      setMissing(null)
    }
    if (id === null || items.length === 0 || settledId.current === id) return
    if (isLoaded) {
      settledId.current = id
      setShownId(id)
      setMissing(null)
      requestedMessage?.onSettled()
    } else if (previousCursor !== null) {
      if (olderState === 'idle') onLoadOlder()
      else if (olderState === 'failed') requestedMessage?.onSettled()
    } else if (requestedMessage !== null && missing?.id !== id) {
      if (requestedMessage.isFromOutside) {
        setMissing({ id, sessionId, isVersionRequested: false })
        onOfferVersion(() => requestVersion(id))
      } else requestVersion(id)
      requestedMessage.onSettled()
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: acts when one of these changes
  useEffect(() => act(), [id, isLoaded, items, olderState, previousCursor])

  useEffect(() => {
    if (shownId === null || !scroller.current || !content.current) return
    const controller = new AbortController()
    const reveal = () =>
      content.current?.querySelector(`[data-message="${shownId}"]`)?.scrollIntoView({ block: 'center' })
    reveal()
    // Formulas, pictures and highlighted code load later and would move the message out of view.
    const observer = new ResizeObserver(reveal)
    observer.observe(content.current)
    for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
      scroller.current.addEventListener(type, () => observer.disconnect(), { signal: controller.signal, passive: true })
    }
    const timer = setTimeout(() => setShownId(null), HIGHLIGHT_MS)
    return () => {
      controller.abort()
      observer.disconnect()
      clearTimeout(timer)
    }
  }, [shownId, scroller, content])
  return shownId
}

/** In conversations with more messages than this, those far from the visible area are removed from the page. */
const LONG_COUNT = 100

/** Messages of a conversation. Scrolling up loads older ones; while the reader is at the end, the view follows new ones. */
export const MessageList = memo(function MessageList({
  state,
  viewKey,
  requestedMessage,
  operations,
  onLoadOlder,
  onRetry,
  onEdit,
}: MessageListProps) {
  const text = useText('chat')
  const common = useText('app')
  const { items, previousCursor, older: olderState } = state
  const { scroller, content, isAtEnd, scrollToEnd } = useAutoScroll(viewKey, items[0]?.key)
  const observeNear = useNearObserver(scroller)
  const isLong = items.length > LONG_COUNT
  const { showVersion: onShowVersion } = operations
  /** The shown version is stored, so a link opened from outside asks before switching it. */
  const onOfferVersion = (onAccept: () => void) =>
    showToast({
      tone: 'info',
      title: text('messages.versions.elsewhere'),
      action: { label: text('messages.versions.show'), onSelect: onAccept },
    })
  const shownId = useRequestedMessage({
    ...{ requestedMessage, state, scroller, content },
    ...{ onLoadOlder, onShowVersion, onOfferVersion },
  })
  const topRef = useOnSeen(scroller, () => olderState === 'idle' && onLoadOlder())
  const days = useDayNames()
  const groups = useMemo(() => groupByDay(items, ({ created_at }) => created_at, days), [items, days])

  // Sending a message scrolls to it, wherever the user was reading.
  const sentKey = state.live?.questionKey
  useLayoutEffect(() => {
    if (sentKey) scrollToEnd()
  }, [sentKey, scrollToEnd])

  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={text('messages.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="relative h-full overflow-y-auto overscroll-contain [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div ref={content} className="mx-auto flex w-full max-w-reading flex-col gap-5 px-4 pt-4 pb-6">
          {previousCursor !== null && (
            <div key={items[0]?.key} ref={topRef} className="flex min-h-10 items-center justify-center">
              {olderState === 'failed' ? (
                <InlineError
                  text={common('common.loadFailed')}
                  retryLabel={common('common.retry')}
                  onRetry={onLoadOlder}
                />
              ) : (
                <Spinner size="sm" label={text('messages.loadingOlder')} />
              )}
            </div>
          )}
          {groups.map((group) => (
            <div key={group.key} className="flex flex-col gap-5">
              <h2 className="flex items-center gap-3 text-12 text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
                {group.name}
              </h2>
              {group.items.map((item) => (
                <Message
                  key={item.key}
                  observeNear={observeNear}
                  isLong={isLong}
                  item={item}
                  isHighlighted={item.id !== null && item.id === shownId}
                  isBusy={state.activity !== 'idle'}
                  canAskAgain={item === items.at(-1)}
                  operations={operations}
                  onRetry={onRetry}
                  onEdit={onEdit}
                />
              ))}
            </div>
          ))}
        </div>
      </section>
      {!isAtEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <button
            type="button"
            onClick={() => scrollToEnd('smooth')}
            className="pointer-events-auto flex h-9 touch-target animate-float-in items-center gap-1.5 rounded-full border border-border bg-surface-overlay px-3.5 text-13 font-medium shadow-float shade-on-hover"
          >
            <ArrowDown aria-hidden className="size-4" />
            {text('messages.toLatest')}
          </button>
        </div>
      )}
    </div>
  )
})

/** Memoised, because each streamed word would otherwise re-render every message. */
const Message = memo(function Message({ observeNear, isLong, isHighlighted, ...bubble }: MessageProps) {
  return (
    <div
      data-message={bubble.item.id ?? undefined}
      className={classNames(
        'flex flex-col rounded-card outline-3 outline-offset-4 transition-[outline-color] duration-500',
        isHighlighted ? 'outline-accent' : 'outline-transparent',
      )}
    >
      <Windowed observeNear={observeNear} isOn={isLong && !bubble.item.streaming}>
        <Bubble {...bubble} />
      </Windowed>
    </div>
  )
})

type MessageProps = BubbleProps & {
  observeNear: ReturnType<typeof useNearObserver>
  isLong: boolean
  /** True for a message that a link has just led to. */
  isHighlighted: boolean
}

type MessageListProps = {
  state: ConversationState
  /** Changes when another conversation is shown. */
  viewKey: string
  /** The message that the page's URL links to. */
  requestedMessage: RequestedMessage | null
  operations: MessageOperations
  onLoadOlder: () => void
  onRetry: (key: string) => void
  onEdit: (key: string) => void
}
