import { CloudOff } from 'lucide-react'
import { lazy, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { isComposing } from '../../../ui/is-composing.ts'
import { lazyPart, PartBoundary } from '../../../ui/lazy-part.tsx'
import { dismissToast, showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useToastsAbove } from '../../../ui/use-toasts-above.ts'
import { Artifacts } from '../artifacts/artifacts.tsx'
import { useChat } from '../chat-context.ts'
import { useComparison } from '../comparison/use-comparison.ts'
import { Composer } from '../composer/composer.tsx'
import { QueuedMessages } from '../composer/queued-messages.tsx'
import { returnToField } from '../composer/use-message.ts'
import type { ModelChoice } from '../conversation/conversation-state.ts'
import { MAX_QUEUED } from '../conversation/message-queue.ts'
import type { WithdrawnMessage } from '../conversation/message-sender.ts'
import { type MessageOperations, useMessageOperations } from '../conversation/use-message-operations.ts'
import { MessageList } from '../messages/message-list.tsx'
import { ModelPicker } from '../models/model-picker.tsx'
import { usedTokensOf } from '../models/use-models.ts'
import { WebSwitch } from '../models/web-switch.tsx'
import { PersonaGreeting } from '../personas/persona-greeting.tsx'
import { TalkButton } from '../voice/talk/talk-button.tsx'
import { Announcer } from './announcer.tsx'
import { Greeting } from './greeting.tsx'
import { type ModelOutage, useModelOutage } from './use-model-outage.ts'

interface SendingOptions {
  /** Runs before a message is sent right away. */
  onBegin: () => void
  /** Runs after a message was sent right away. */
  onSent: () => void
}

/** Sends the composed message, or queues it while an answer is generated; queued messages can be edited or removed. */
function useSending({ onBegin, onSent }: SendingOptions) {
  const { conversation, state, field, message } = useChat()
  const text = useText('chat')
  const queueFullToast = useRef(0)
  const showQueueFull = () => {
    dismissToast(queueFullToast.current)
    queueFullToast.current = showToast({ tone: 'warning', title: text('queue.full', { count: state.queued.length }) })
  }

  const send = () => {
    const { draft, setDraft, pictures, attached, mentioned } = message
    const options = { pictures: pictures.pictures, media: attached.media, mentions: mentioned?.mentions ?? [] }
    if (state.activity !== 'idle') {
      if (!conversation.sendLater(draft, options)) {
        if (state.queued.length >= MAX_QUEUED) showQueueFull()
        return
      }
    } else {
      onBegin()
      if (!conversation.send(draft, options)) return
      onSent()
    }
    setDraft('')
    pictures.release()
    attached.clear()
    mentioned?.clear()
  }

  // These functions stay the same, so that messages are rerendered only when they change.
  const latest = useRef(message)
  useEffect(() => {
    latest.current = message
  })
  const restoreToComposer = useCallback(
    (withdrawn: WithdrawnMessage) => {
      const { draft, setDraft, pictures, attached, mentioned } = latest.current
      setDraft([draft, withdrawn.content].filter((part) => part.trim() !== '').join('\n\n'))
      pictures.restore(withdrawn.pictures)
      if (withdrawn.media.length > 0) attached.add(withdrawn.media)
      if (withdrawn.mentions.length > 0) mentioned?.add(withdrawn.mentions)
      requestAnimationFrame(() => field.current?.focus())
    },
    [field],
  )
  const edit = useCallback(
    async (key: string) => restoreToComposer(await conversation.withdraw(key)),
    [conversation, restoreToComposer],
  )
  const remove = async (key: string) => {
    const withdrawn = await conversation.withdraw(key)
    returnToField(field)
    showToast({
      title: text('queue.removed'),
      action: { label: text('queue.undo'), onSelect: () => restoreToComposer(withdrawn) },
    })
  }

  return {
    send,
    /** Puts a queued message back into the composer; always the same function. */
    edit,
    /** Removes a queued message; a toast offers to undo that. */
    remove: (key: string) => void remove(key),
  }
}

/** Note above the composer while the language model is unavailable; it says what happens to questions until it's back. */
export function ModelUnavailableNote({ isAway, willAskAgain }: ModelOutage) {
  const text = useText('chat')
  return (
    <div role="status" className="empty:hidden">
      {isAway && (
        <p className="flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-13">
          <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
          {text(willAskAgain ? 'away.askedAgain' : 'away.quoted')}
        </p>
      )}
    </div>
  )
}

const ComparisonNotice = lazyPart(() => import('../models/compare-with.tsx').then((module) => module.ComparisonNotice))
const ComparisonView = lazy(() =>
  import('../comparison/comparison-view.tsx').then((module) => ({ default: module.ComparisonView })),
)

/** Messages of the chat's conversation, with the composer below. */
export function ConversationView() {
  const { conversation, state, viewKey, isTemporary, choice, message, field } = useChat()
  const text = useText('chat')
  const common = useText('app')
  const errorText = useErrorText()
  const isBusy = state.activity !== 'idle'
  const bottom = useRef<HTMLDivElement>(null)
  useToastsAbove(bottom)
  const { comparison, compareNext, compareVersions } = useComparison(conversation, state)
  const operations = useMessageOperations(conversation, compareVersions)

  const showStopError = (error: unknown) =>
    showToast({ tone: 'danger', title: text('composer.stopFailed'), description: errorText(error) })
  const stop = () => void conversation.stop().catch(showStopError)
  useEscape(isBusy, stop)
  const modelAway = useModelOutage({ items: state.items, isBusy, onAskAgain: operations.regenerate })
  const choose = (choice: ModelChoice) => {
    conversation
      .choose(choice)
      .catch((error) => showToast({ tone: 'danger', title: text('model.failed'), description: errorText(error) }))
  }

  const [otherModelIds, setOtherModelIds] = useState<readonly string[]>([])
  const { send, edit, remove } = useSending({
    onBegin: () => comparison?.close(),
    onSent: () => {
      compareNext(otherModelIds)
      setOtherModelIds([])
    },
  })
  // A comparison would hide the answer to a queued message that is sent now.
  const closeComparison = useEffectEvent(() => comparison?.close())
  useEffect(() => {
    if (state.activity === 'sending') closeComparison()
  }, [state.activity])

  return (
    <Artifacts viewKey={viewKey}>
      {comparison && (
        <PartBoundary onError={comparison.close} fallback={<MessagesSkeleton label={common('common.loading')} />}>
          <ComparisonView comparison={comparison} />
        </PartBoundary>
      )}
      <Content
        isHidden={comparison !== null}
        operations={operations}
        onEdit={edit}
        onAsk={(question) => {
          message.setDraft(question)
          field.current?.focus()
        }}
      />
      <div ref={bottom} className="shrink-0 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
        <div className="mx-auto flex w-full max-w-reading flex-col gap-2 px-3 sm:px-4">
          {(state.activity === 'reconnecting' || state.isStopping) && (
            <p className="flex items-center gap-2 px-1 text-13 text-muted">
              <Spinner size="sm" />
              {text(state.activity === 'reconnecting' ? 'status.reconnecting' : 'status.stopping')}
            </p>
          )}
          <ModelUnavailableNote {...modelAway} />
          <QueuedMessages
            queued={state.queued}
            isBusy={isBusy}
            onSendNow={(key) => {
              void conversation.sendNow(key).catch(showStopError)
              returnToField(field)
            }}
            onEdit={(key) => void edit(key)}
            onRemove={remove}
          />
          {otherModelIds.length > 0 && <ComparisonNotice modelIds={otherModelIds} onChange={setOtherModelIds} />}
          <Composer
            modelPicker={
              <>
                <TalkButton key={viewKey} conversation={conversation} isBusy={isBusy} />
                <WebSwitch choice={choice} isBusy={isBusy} onChoose={choose} />
                <ModelPicker
                  choice={choice}
                  usedTokens={usedTokensOf(state.items)}
                  isBusy={isBusy}
                  compared={isTemporary ? undefined : { others: otherModelIds, onChange: setOtherModelIds }}
                  onChoose={choose}
                />
              </>
            }
            onSend={send}
            onStop={stop}
          />
        </div>
      </div>
      <Announcer />
    </Artifacts>
  )
}

function Content({ isHidden, operations, onEdit, onAsk }: ContentProps) {
  const { conversation, state, viewKey, persona, requestedMessage } = useChat()
  const common = useText('app')
  if (isHidden) return null
  if (state.items.length > 0) {
    return (
      <MessageList
        state={state}
        viewKey={viewKey}
        requestedMessage={requestedMessage}
        operations={operations}
        onLoadOlder={conversation.loadOlder}
        onRetry={conversation.retry}
        onEdit={onEdit}
      />
    )
  }
  if (state.status === 'unreachable') {
    return (
      <div className="flex min-h-0 flex-1 overflow-y-auto">
        <InlineError
          className="m-auto p-4"
          text={common('common.loadFailed')}
          retryLabel={common('common.retry')}
          onRetry={() => void conversation.refresh()}
        />
      </div>
    )
  }
  if (state.status === 'loading') return <MessagesSkeleton label={common('common.loading')} />
  return (
    <div className="flex min-h-0 flex-1 overflow-y-auto">
      {persona ? <PersonaGreeting persona={persona} onAsk={onAsk} /> : <Greeting onAsk={onAsk} />}
    </div>
  )
}

function MessagesSkeleton({ label }: { label: string }) {
  return (
    <LoadingRegion label={label} className="min-h-0 flex-1 overflow-hidden">
      <div className="mx-auto flex w-full max-w-reading flex-col gap-6 px-4 py-8">
        <Skeleton className="ml-auto h-11 w-1/2 rounded-card" />
        <Skeleton className="h-36 w-4/5 rounded-card sm:ml-10" />
        <Skeleton className="ml-auto h-11 w-2/5 rounded-card" />
        <Skeleton className="h-24 w-3/5 rounded-card sm:ml-10" />
      </div>
    </LoadingRegion>
  )
}

/** Calls back on Escape, unless something is open over the page. */
function useEscape(isActive: boolean, onEscape: () => void): void {
  const handleEscape = useEffectEvent(onEscape)
  useEffect(() => {
    if (!isActive) return
    const handle = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return
      if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]')) return
      event.preventDefault()
      handleEscape()
    }
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [isActive])
}

type ContentProps = {
  /** True while a comparison is shown instead. */
  isHidden: boolean
  operations: MessageOperations
  onEdit: (key: string) => void
  /** Puts a suggested question into the composer. */
  onAsk: (question: string) => void
}
