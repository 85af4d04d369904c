import { ArrowDown } from 'lucide-react'
import { memo, useLayoutEffect, useMemo } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { classNames } from '../../../ui/class-names.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import type { ConversationState } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { Bubble, type BubbleProps } from './bubble.tsx'
import { groupByDay } from './days.ts'
import { useDays } from './use-days.ts'
import { useFollowScroll } from './use-follow-scroll.ts'
import { useSeen } from './use-seen.ts'
import { useWantedMessage, type WantedMessage } from './use-wanted-message.ts'
import { useNearness, Windowed } from './windowed.tsx'

/** From so many messages on, those that are far from what is seen leave the page. */
const LONG_COUNT = 100

/** The messages of a conversation: older ones come when one scrolls up, the end is followed by who is there. */
export const MessageList = memo(function MessageList({
  state,
  viewKey,
  wantedMessage,
  operations,
  onLoadOlder,
  onRetry,
  onEdit,
}: MessageListProps) {
  const text = useText('chat')
  const common = useText('app')
  const { items, previousCursor, older } = state
  const { scroller, content, isAtEnd, toEnd } = useFollowScroll(viewKey, items[0]?.key)
  const near = useNearness(scroller)
  const isLong = items.length > LONG_COUNT
  const { showVersion } = operations
  /** The branch that is shown is stored, so a link from elsewhere only offers to change it. */
  const offerVersion = (messageId: string) =>
    showToast({
      tone: 'info',
      title: text('messages.versions.elsewhere'),
      action: { label: text('messages.versions.show'), onSelect: () => showVersion(messageId) },
    })
  const onShowVersion = wantedMessage?.isFromOutside ? offerVersion : showVersion
  const shownId = useWantedMessage({ wantedMessage, state, scroller, content, onLoadOlder, onShowVersion })
  const start = useSeen(scroller, () => older === 'idle' && onLoadOlder())
  const days = useDays()
  const groups = useMemo(() => groupByDay(items, ({ created_at }) => created_at, days), [items, days])

  // Who sends wants to see it, wherever they were reading.
  const sentKey = state.live?.questionKey
  useLayoutEffect(() => {
    if (sentKey) toEnd()
  }, [sentKey, toEnd])

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
            <div key={items[0]?.key} ref={start} className="flex min-h-10 items-center justify-center">
              {older === 'failed' ? (
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
            <div key={group.items[0]!.key} className="flex flex-col gap-5">
              <h2 className="flex items-center gap-3 text-12 text-muted before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
                {group.name}
              </h2>
              {group.items.map((item) => (
                <Message
                  key={item.key}
                  near={near}
                  isLong={isLong}
                  item={item}
                  standsOut={item.id !== null && item.id === shownId}
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
            onClick={() => toEnd('smooth')}
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

/** One of thousands of messages: it is looked at again only when it changes, not with every word of the newest. */
const Message = memo(function Message({ near, isLong, standsOut, ...bubble }: MessageProps) {
  return (
    <div
      data-message={bubble.item.id ?? undefined}
      className={classNames(
        'flex flex-col rounded-card outline-3 outline-offset-4 transition-[outline-color] duration-500',
        standsOut ? 'outline-accent' : 'outline-transparent',
      )}
    >
      <Windowed near={near} isOn={isLong && !bubble.item.streaming}>
        <Bubble {...bubble} />
      </Windowed>
    </div>
  )
})

type MessageProps = BubbleProps & {
  near: ReturnType<typeof useNearness>
  isLong: boolean
  /** A link has just led to it. */
  standsOut: boolean
}

export type MessageListProps = {
  state: ConversationState
  /** Changes when another conversation is shown. */
  viewKey: string
  /** The message that the page's address leads to. */
  wantedMessage: WantedMessage | null
  operations: MessageOperations
  onLoadOlder: () => void
  onRetry: (key: string) => void
  onEdit: (key: string) => void
}
