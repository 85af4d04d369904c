import type { ChatErrorCode, CodedSentence } from '@mira/shared'
import { CircleAlert, RotateCw } from 'lucide-react'
import { SettingsLink } from '../../../lib/components/reason.tsx'
import { useLanguage, useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'

/** Errors that are fixed in the settings of model servers. */
const connectionErrors: ReadonlySet<ChatErrorCode> = new Set([
  'model_unreachable',
  'model_key_refused',
  'model_not_found',
  'vision_unavailable',
])

/** Reason for a failed answer in the user's language: the server's sentences, or else a text for the error code. */
export function useAnswerProblem(): (
  error: string,
  code: ChatErrorCode | null,
  sentences: CodedSentence[] | undefined,
) => string {
  const text = useText('chat')
  const language = useLanguage()
  const sentenceText = useSentenceText()
  return (error, code, sentences) =>
    language !== 'en' && sentences === undefined && code !== null && text.has(`problems.${code}`)
      ? text(`problems.${code}`)
      : sentenceText(error, sentences)
}

/** Error of an answer; administrators get a link to the related settings. */
export function StreamError({ error, code, sentences, isSpaced, onAskAgain }: StreamErrorProps) {
  const text = useText('chat')
  const reason = useAnswerProblem()(error, code, sentences)
  return (
    <div className={classNames('flex flex-wrap items-center justify-between gap-x-4 gap-y-2', isSpaced && 'mt-3')}>
      <p className="flex min-w-0 items-start gap-2 text-danger-text">
        <CircleAlert aria-hidden className="mt-1 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          {text('messages.error', { text: reason })}
          {code && connectionErrors.has(code) && <SettingsLink />}
        </span>
      </p>
      {onAskAgain && (
        <Button size="sm" icon={<RotateCw aria-hidden />} onClick={onAskAgain}>
          {text('messages.askAgain')}
        </Button>
      )}
    </div>
  )
}

type StreamErrorProps = {
  error: string
  code: ChatErrorCode | null
  sentences: CodedSentence[] | undefined
  isSpaced: boolean
  onAskAgain?: (() => void) | undefined
}
