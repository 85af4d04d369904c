import type { ChatErrorCode } from '@mira/shared'
import { CircleAlert, X } from 'lucide-react'
import { useState } from 'react'
import { useIsWide } from '../../../lib/browser/use-is-wide.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { TabPanel, Tabs } from '../../../ui/tabs.tsx'
import type { ChatItem } from '../conversation/conversation-state.ts'
import { AgentCalls } from '../messages/agent-calls.tsx'
import { Reasoning } from '../messages/bubble.tsx'
import { CitedSourcesProvider } from '../messages/citation.tsx'
import { Markdown } from '../messages/markdown.tsx'
import { Sources } from '../messages/sources.tsx'
import { useAnswerProblem } from '../messages/stream-error.tsx'
import { useModels } from '../models/use-models.ts'
import type { Comparison } from './use-comparison.ts'

/** Answers of several models side by side, in tabs on a phone; the user keeps one. */
export function ComparisonView({ comparison: { question, answers, choose, close } }: { comparison: Comparison }) {
  const text = useText('chat')
  const isWide = useIsWide()
  const models = useModels()
  const [shownColumn, setShownColumn] = useState('0')
  const nameOf = ({ model_used }: ChatItem) =>
    models?.find(({ id }) => id === model_used)?.name ?? model_used ?? text('model.default')
  const columns = answers.map((answer, index) => ({ answer, index: String(index), name: nameOf(answer) }))
  return (
    <section aria-label={text('compare.title')} className="flex min-h-0 flex-1 flex-col gap-3 px-3 pt-3 sm:px-4">
      <div className="flex items-start gap-2">
        <p dir="auto" className="line-clamp-3 min-w-0 flex-1 text-15 font-medium wrap-anywhere">
          {question?.content}
        </p>
        <IconButton size="sm" name={text('compare.close')} icon={<X aria-hidden />} onClick={close} />
      </div>
      {isWide ? (
        <div className="grid min-h-0 flex-1 auto-cols-[minmax(18rem,1fr)] grid-flow-col gap-3 overflow-x-auto pb-3">
          {columns.map((column) => (
            <AnswerColumn key={column.index} {...column} onChoose={choose} />
          ))}
        </div>
      ) : (
        <Tabs
          label={text('compare.title')}
          tabs={columns.map(({ index, name, answer }) => ({
            value: index,
            label: name,
            icon: answer.streaming ? <Spinner size="sm" /> : undefined,
          }))}
          value={shownColumn}
          onValueChange={setShownColumn}
          className="flex min-h-0 flex-1 flex-col"
        >
          {columns.map((column) => (
            <TabPanel key={column.index} value={column.index} className="flex min-h-0 flex-1 flex-col pb-3">
              <AnswerColumn {...column} onChoose={choose} />
            </TabPanel>
          ))}
        </Tabs>
      )}
    </section>
  )
}

function AnswerColumn({ answer, name, onChoose }: AnswerColumnProps) {
  const text = useText('chat')
  const errorText = useErrorText()
  const [isKeeping, setIsKeeping] = useState(false)
  const answerProblem = useAnswerProblem()
  const {
    content,
    streaming,
    error: answerError,
    error_code,
    error_told,
    failure: requestError,
    sources,
    reasoning,
  } = answer
  const calls = answer.agent_calls.filter(({ state }) => state !== 'waiting')
  const hasCallAwaitingApproval = calls.length < answer.agent_calls.length
  const answerErrorText =
    answerError === null ? null : answerProblem(answerError, error_code as ChatErrorCode | null, error_told)
  const shownError = requestError !== null ? errorText(requestError) : answerErrorText
  return (
    <article
      aria-label={name}
      aria-busy={streaming || undefined}
      className="flex min-h-0 min-w-0 flex-1 flex-col rounded-card border border-border bg-surface-raised"
    >
      <header className="flex min-h-12 items-center gap-2 border-b border-border px-4 py-1.5">
        <h2 className="min-w-0 flex-1 truncate text-14 font-semibold">{name}</h2>
        {streaming ? (
          <Spinner size="sm" label={text('messages.waiting')} />
        ) : (
          answer.id !== null &&
          content !== '' && (
            <Button
              size="sm"
              loading={isKeeping}
              onClick={() => {
                setIsKeeping(true)
                void onChoose(answer).finally(() => setIsKeeping(false))
              }}
            >
              {text('compare.keep')}
            </Button>
          )
        )}
      </header>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-3 text-[0.9375rem] focus-visible:-outline-offset-2"
      >
        {reasoning !== null && <Reasoning thoughts={reasoning} isThinking={streaming && content === ''} />}
        {calls.length > 0 && <AgentCalls calls={calls} isAnswering={streaming} onAnswer={async () => {}} />}
        {content !== '' && (
          <CitedSourcesProvider value={sources}>
            <Markdown text={content} isStreaming={streaming} />
          </CitedSourcesProvider>
        )}
        {hasCallAwaitingApproval && <p className="mt-2 text-13 text-muted">{text('compare.waits')}</p>}
        {shownError !== null && (
          <p className="mt-2 flex items-start gap-2 text-danger-text">
            <CircleAlert aria-hidden className="mt-1 size-4 shrink-0" />
            <span className="min-w-0 wrap-anywhere">{text('messages.error', { text: shownError })}</span>
          </p>
        )}
        {sources.length > 0 && <Sources sources={sources} />}
      </div>
    </article>
  )
}

type AnswerColumnProps = { answer: ChatItem; name: string; onChoose: (answer: ChatItem) => Promise<void> }
