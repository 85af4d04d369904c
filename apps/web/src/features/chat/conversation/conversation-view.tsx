import type { PersonaJson } from '@mira/shared'
import { CloudOff } from 'lucide-react'
import { lazy, type RefObject, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { InlineError } from '../../../ui/inline-error.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { useToastsAbove } from '../../../ui/use-toasts-above.ts'
import { Artifacts } from '../artifacts/artifacts.tsx'
import { useComparison } from '../comparison/use-comparison.ts'
import { Composer } from '../composer/composer.tsx'
import { QueuedMessages } from '../composer/queued-messages.tsx'
import { returnToField } from '../composer/return-to-field.ts'
import type { ChosenMedia } from '../composer/use-attached.ts'
import type { FileUploads } from '../composer/use-file-uploads.ts'
import type { ChosenPictures } from '../composer/use-pictures.ts'
import type { ChosenMentions } from '../mentions/use-mentions.ts'
import { MessageList } from '../messages/message-list.tsx'
import type { WantedMessage } from '../messages/use-wanted-message.ts'
import { ModelPicker } from '../models/model-picker.tsx'
import { usedTokensOf } from '../models/used-tokens.ts'
import { PersonaGreeting } from '../personas/persona-greeting.tsx'
import { TalkButton } from '../voice/talk/talk-button.tsx'
import { WebSwitch } from '../web/web-switch.tsx'
import { Announcer } from './announcer.tsx'
import type { Conversation } from './conversation.ts'
import type { ConversationState, ModelChoice } from './conversation-state.ts'
import { Greeting } from './greeting.tsx'
import { type MessageOperations, useMessageOperations } from './use-message-operations.ts'
import { type ModelAway, useModelAway } from './use-model-away.ts'
import { useSending } from './use-sending.ts'

/** One line over the composer while the language model is away: what happens with questions until then. */
export function ModelAwayNote({ isAway, isAskedAgain }: ModelAway) {
  const text = useText('chat')
  return (
    <div role="status" className="empty:hidden">
      {isAway && (
        <p className="flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-13">
          <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
          {text(isAskedAgain ? 'away.askedAgain' : 'away.quoted')}
        </p>
      )}
    </div>
  )
}

// not loaded later: what is sent without a network is shown as not sent

const ComparedWith = lazyPart(() => import('../comparison/compare-with.tsx').then((module) => module.ComparedWith))
const ComparisonView = lazy(() =>
  import('../comparison/comparison-view.tsx').then((module) => ({ default: module.ComparisonView })),
)

/** Messages of a conversation, with the composer below. */
export function ConversationView({
  conversation,
  persona,
  state,
  viewKey,
  wanted,
  pictures,
  attached,
  named,
  files,
  isAttaching,
  choiceOfNew,
  mayCompare,
  field,
  draft,
  onDraftChange,
}: ConversationViewProps) {
  const text = useText('chat')
  const common = useText('app')
  const errorText = useErrorText()
  const isBusy = state.activity !== 'idle'
  const bottom = useRef<HTMLDivElement>(null)
  useToastsAbove(bottom)
  const { comparison, compareNext, compareVersions } = useComparison(conversation, state)
  const operations = useMessageOperations(conversation, compareVersions)

  const tellNotStopped = (error: unknown) =>
    showToast({ tone: 'danger', title: text('composer.stopFailed'), description: errorText(error) })
  const stop = () => void conversation.stop().catch(tellNotStopped)
  useEscape(isBusy, stop)
  const away = useModelAway({ items: state.items, isBusy, onAskAgain: operations.regenerate })
  const choose = (choice: ModelChoice) => {
    conversation
      .choose(choice)
      .catch((error) => showToast({ tone: 'danger', title: text('model.failed'), description: errorText(error) }))
  }

  const [others, setOthers] = useState<readonly string[]>([])
  const composed = { draft, onDraftChange, pictures, attached, named }
  const { send, edit, leaveOut } = useSending({
    conversation,
    state,
    field,
    composed,
    onBegin: () => comparison?.close(),
    onSent: () => {
      compareNext(others)
      setOthers([])
    },
  })
  // a message that waited begins: its answer would be made behind what is compared
  const closeComparison = useEffectEvent(() => comparison?.close())
  useEffect(() => {
    if (state.activity === 'sending') closeComparison()
  }, [state.activity])

  return (
    <Artifacts viewKey={viewKey}>
      {comparison && (
        <Suspense fallback={<MessagesSkeleton label={common('common.loading')} />}>
          <ComparisonView comparison={comparison} />
        </Suspense>
      )}
      <Content
        isHidden={comparison !== null}
        conversation={conversation}
        persona={persona}
        state={state}
        viewKey={viewKey}
        wanted={wanted}
        operations={operations}
        onEdit={edit}
        onAsk={(question) => {
          onDraftChange(question)
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
          <ModelAwayNote {...away} />
          <QueuedMessages
            queued={state.queued}
            isBusy={isBusy}
            onSendNow={(key) => {
              void conversation.sendNow(key).catch(tellNotStopped)
              returnToField(field)
            }}
            onEdit={(key) => void edit(key)}
            onRemove={leaveOut}
          />
          {others.length > 0 && <ComparedWith chosen={others} onChange={setOthers} />}
          <Composer
            field={field}
            draft={draft}
            pictures={pictures}
            attached={attached}
            named={named}
            files={files}
            isAttaching={isAttaching}
            modelPicker={
              <>
                <TalkButton key={viewKey} conversation={conversation} isBusy={isBusy} />
                <WebSwitch choice={state.choice ?? choiceOfNew} isBusy={isBusy} onChoose={choose} />
                <ModelPicker
                  choice={state.choice ?? choiceOfNew}
                  usedTokens={usedTokensOf(state.items)}
                  isBusy={isBusy}
                  compared={mayCompare ? { others, onChange: setOthers } : undefined}
                  onChoose={choose}
                />
              </>
            }
            isBusy={isBusy}
            isStopping={state.isStopping}
            onDraftChange={onDraftChange}
            onSend={send}
            onStop={stop}
          />
        </div>
      </div>
      <Announcer state={state} />
    </Artifacts>
  )
}

function Content({ isHidden, conversation, persona, state, viewKey, wanted, operations, onEdit, onAsk }: ContentProps) {
  const common = useText('app')
  if (isHidden) return null
  if (state.items.length > 0) {
    return (
      <MessageList
        state={state}
        viewKey={viewKey}
        wanted={wanted}
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

/** Escape stops the answer, unless it is meant for something that is open over the page. */
function useEscape(isActive: boolean, onEscape: () => void): void {
  const handleEscape = useEffectEvent(onEscape)
  useEffect(() => {
    if (!isActive) return
    const handle = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]')) return
      event.preventDefault()
      handleEscape()
    }
    document.addEventListener('keydown', handle)
    return () => document.removeEventListener('keydown', handle)
  }, [isActive])
}

type ContentProps = Pick<ConversationViewProps, 'conversation' | 'persona' | 'state' | 'viewKey' | 'wanted'> & {
  /** While something else is shown in its place. */
  isHidden: boolean
  operations: MessageOperations
  onEdit: (key: string) => void
  /** Takes a question that is offered into the composer. */
  onAsk: (question: string) => void
}

export type ConversationViewProps = {
  conversation: Conversation
  /** Whom it is with; undefined for nobody else. */
  persona: PersonaJson | undefined
  state: ConversationState
  /** Changes when another conversation is shown. */
  viewKey: string
  /** The message that the page's address leads to. */
  wanted: WantedMessage | null
  /** Chosen for the next message. */
  pictures: ChosenPictures
  attached: ChosenMedia
  /** Mentions in the message. */
  named: ChosenMentions
  /** On their way to them. */
  files: FileUploads
  /** True while an item is on its way to them. */
  isAttaching: boolean
  /** Default model of a new conversation. */
  choiceOfNew: ModelChoice
  /** Let other models answer too; their answers are stored. */
  mayCompare: boolean
  field: RefObject<HTMLTextAreaElement | null>
  draft: string
  onDraftChange: (draft: string) => void
}
