import type { ChatErrorCode } from '@mira/shared'
import { MESSAGE_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { CircleAlert, Cpu, Lightbulb, PencilLine, RotateCw, Sparkles } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, memo, useState } from 'react'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Badge } from '../../../ui/badge.tsx'
import { BrandMark } from '../../../ui/brand-mark.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { isComposing } from '../../../ui/is-composing.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { TextArea } from '../../../ui/text-area.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import type { MessageOperations } from '../conversation/use-message-operations.ts'
import { AttachedItems } from './attached-items.tsx'
import { CitedSourcesProvider } from './citation.tsx'
import { Markdown } from './markdown.tsx'
import { MentionChips } from './mention-chips.tsx'
import { AnswerActions, CopyUnstoredMessage, QuestionActions } from './message-actions.tsx'
import { MessagePictures } from './message-pictures.tsx'
import { Sources } from './sources.tsx'
import { StreamError } from './stream-error.tsx'

/** True for the keys that send a message: Ctrl or ⌘ and Enter always, Enter alone if the user prefers that. */
export function isSendKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, enterSends: boolean): boolean {
  return key === 'Enter' && !shiftKey && (enterSends || ctrlKey || metaKey)
}

/** Editor for one of the user's messages: Enter sends it as another version, Escape cancels. */
function MessageEditor({ content, isBusy, hasPictures, onSend, onCancel }: MessageEditorProps) {
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
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape') {
      event.preventDefault()
      onCancel()
    }
    if (!isSendKey(event, enterSends)) return
    event.preventDefault()
    if (canSend && !event.repeat) onSend(draft)
  }
  return (
    <form onSubmit={submit} className="flex w-full flex-col gap-2">
      <TextArea
        label={text('messages.editLabel')}
        labelHidden
        dir="auto"
        rows={2}
        value={draft}
        autoFocus
        data-takes-escape=""
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

/** The model's reasoning before the answer, collapsed. */
export function Reasoning({ thoughts, isThinking }: { thoughts: string; isThinking: boolean }) {
  const text = useText('chat')
  return (
    <details className="mb-2 text-13 last:mb-0">
      <summary className="flex w-fit cursor-pointer items-center gap-1.5 rounded-control py-0.5 text-muted transition-colors hover:text-text pointer-coarse:py-3">
        <Lightbulb aria-hidden className={isThinking ? 'size-4 animate-pulse text-ai-text' : 'size-4'} />
        {text(isThinking ? 'reasoning.thinking' : 'reasoning.thought')}
      </summary>
      <section
        dir="auto"
        aria-label={text('reasoning.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="mt-1 max-h-80 overflow-y-auto border-l-2 border-border pl-3 leading-relaxed break-words whitespace-pre-wrap text-muted"
      >
        {thoughts}
      </section>
    </details>
  )
}

/** Loaded lazily, because most answers call no agent; without a network, an answer is shown without its agent calls. */
const AgentCalls = lazyPart(() => import('./agent-calls.tsx').then((module) => module.AgentCalls))

/** A message with its time and, for an answer, its engine and errors. */
export const Bubble = memo(function Bubble(props: BubbleProps) {
  return props.item.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})

function Question({ item, isBusy, operations, onRetry, onEdit }: BubbleProps) {
  const text = useText('chat')
  const [isEditing, setIsEditing] = useState(false)
  const hasFailed = item.delivery === 'failed'
  if (isEditing) {
    return (
      <article aria-label={text('messages.yours')} className="flex w-full flex-col items-end gap-2">
        {item.images.length > 0 && <MessagePictures item={item} operations={operations} />}
        {item.media.length > 0 && <AttachedItems media={item.media} />}
        {item.mentions.length > 0 && <MentionChips mentions={item.mentions} />}
        <MessageEditor
          content={item.content}
          isBusy={isBusy}
          hasPictures={item.images.length > 0 || item.media.some(({ media_id }) => media_id !== null)}
          onCancel={() => setIsEditing(false)}
          onSend={async (content) => {
            if (await operations.resend(item, content)) setIsEditing(false)
          }}
        />
      </article>
    )
  }
  return (
    <article
      aria-label={text('messages.yours')}
      className="flex flex-col items-end gap-1 self-end max-sm:max-w-[92%] sm:max-w-[80%]"
    >
      {item.images.length > 0 && <MessagePictures item={item} operations={operations} />}
      {item.media.length > 0 && <AttachedItems media={item.media} />}
      {item.mentions.length > 0 && <MentionChips mentions={item.mentions} />}
      <div
        dir="auto"
        className={classNames(
          'max-w-full rounded-card rounded-br-[0.25rem] px-4 py-2.5 text-[0.9375rem] leading-relaxed break-words whitespace-pre-wrap text-text',
          hasFailed ? 'border border-danger/40 bg-danger-soft' : 'bg-accent-soft',
        )}
      >
        {item.content}
      </div>
      {hasFailed ? (
        <div className="flex flex-wrap items-center justify-end gap-1.5">
          <span className="mr-1 flex items-center gap-1.5 text-12 text-danger-text">
            <CircleAlert aria-hidden className="size-3.5" />
            {text('messages.notSent')}
          </span>
          <Button
            size="sm"
            variant="ghost"
            icon={<PencilLine aria-hidden />}
            disabled={isBusy}
            onClick={() => onEdit(item.key)}
          >
            {text('messages.edit')}
          </Button>
          <Button size="sm" icon={<RotateCw aria-hidden />} disabled={isBusy} onClick={() => onRetry(item.key)}>
            {text('messages.retry')}
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-center justify-end gap-x-1">
          <MessageTime moment={item.created_at} />
          {item.id !== null && (
            <QuestionActions item={item} isBusy={isBusy} operations={operations} onEdit={() => setIsEditing(true)} />
          )}
          <CopyUnstoredMessage item={item} />
        </div>
      )}
    </article>
  )
}

function Answer({ item, isBusy, canAskAgain, operations }: BubbleProps) {
  const text = useText('chat')
  const isEmpty = item.content === ''
  return (
    <article
      aria-label={text('messages.assistants', { assistant: assistantName() })}
      aria-busy={item.streaming || undefined}
      className="flex min-w-0 gap-3"
    >
      <BrandMark className="mt-2 size-7 shrink-0 max-sm:hidden" />
      <div className="flex min-w-0 flex-1 flex-col items-start gap-1">
        <div className="w-fit max-w-full min-w-0 rounded-card rounded-tl-[0.25rem] border border-border bg-surface-raised px-4 py-3 text-[0.9375rem]">
          {item.reasoning !== null && (
            <Reasoning
              thoughts={item.reasoning}
              isThinking={item.streaming && isEmpty && item.agent_calls.length === 0}
            />
          )}
          {item.agent_calls.length > 0 && (
            <AgentCalls calls={item.agent_calls} isAnswering={item.streaming} onAnswer={operations.decideCall} />
          )}
          {isEmpty && item.streaming && <WaitingDots />}
          {!isEmpty && (
            <CitedSourcesProvider value={item.sources}>
              <Markdown text={item.content} isStreaming={item.streaming} />
            </CitedSourcesProvider>
          )}
          {item.images.length > 0 && <MessagePictures item={item} operations={operations} />}
          {item.interrupted && (
            <p className={classNames('flex flex-wrap items-center gap-3 text-muted', !isEmpty && 'mt-2')}>
              {text('messages.interrupted')}
              {canAskAgain && !isBusy && !isEmpty && (
                <Button size="sm" onClick={operations.askToContinue}>
                  {text('messages.goOn')}
                </Button>
              )}
            </p>
          )}
          {item.stop_reason !== undefined && !item.streaming && (
            <p className={classNames('flex flex-wrap items-center gap-3 text-muted', !isEmpty && 'mt-2')}>
              {text(item.stop_reason === 'length' ? 'messages.cutAtLength' : 'messages.cutByFilter')}
              {item.stop_reason === 'length' && canAskAgain && !isBusy && (
                <Button size="sm" onClick={() => void operations.continueAnswer(item)}>
                  {text('messages.goOn')}
                </Button>
              )}
            </p>
          )}
          {item.failure !== null && <SendFailure error={item.failure} />}
          {item.error !== null && (
            <StreamError
              error={item.error}
              code={item.error_code as ChatErrorCode | null}
              sentences={item.error_told}
              isSpaced={!isEmpty}
              onAskAgain={canAskAgain && !isBusy && item.id !== null ? () => operations.regenerate(item) : undefined}
            />
          )}
          {item.sources.length > 0 && <Sources sources={item.sources} />}
        </div>
        {!item.streaming && item.failure === null && (
          <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <MessageTime moment={item.created_at} />
            <EngineBadge item={item} />
            {item.id !== null && (
              <div className="flex flex-wrap items-center">
                <AnswerActions item={item} isBusy={isBusy} operations={operations} />
              </div>
            )}
            <CopyUnstoredMessage item={item} />
          </div>
        )}
      </div>
    </article>
  )
}

/** Placeholder until the first text of an answer arrives. */
function WaitingDots() {
  const text = useText('chat')
  return (
    <span className="flex h-6 items-center gap-1">
      <span className="sr-only">{text('messages.waiting')}</span>
      {['', '[animation-delay:150ms]', '[animation-delay:300ms]'].map((delay) => (
        <span key={delay} aria-hidden className={classNames('size-1.5 animate-pulse rounded-full bg-ai', delay)} />
      ))}
    </span>
  )
}

/** Error for a message that couldn't be sent, with the server's reason below. */
function SendFailure({ error }: { error: unknown }) {
  const text = useText('chat')
  const errorText = useErrorText()
  return (
    <div role="alert" className="flex flex-col gap-1">
      <p>{text('messages.failed')}</p>
      <p className="text-13 text-muted">{errorText(error)}</p>
    </div>
  )
}

function MessageTime({ moment }: { moment: string }) {
  const format = useFormat()
  return (
    <TimeText
      text={format.time(moment)}
      absolute={format.dateTime(moment)}
      dateTime={moment}
      className="px-1 text-12 text-muted tabular-nums"
    />
  )
}

/** Badge with the engine of an answer: built-in, or a model's name. */
function EngineBadge({ item }: { item: ChatItem }) {
  const text = useText('chat')
  if (item.engine === 'built-in') {
    return <Badge icon={<Cpu aria-hidden />}>{text('messages.builtIn')}</Badge>
  }
  if (item.model_used === null) return null
  return (
    <Badge tone="ai" icon={<Sparkles aria-hidden />} className="max-w-60">
      {item.model_used}
    </Badge>
  )
}

export type BubbleProps = {
  item: ChatItem
  /** True while a message is being sent or answered; nothing else can be sent meanwhile. */
  isBusy: boolean
  canAskAgain: boolean
  operations: MessageOperations
  onRetry: (key: string) => void
  onEdit: (key: string) => void
}
