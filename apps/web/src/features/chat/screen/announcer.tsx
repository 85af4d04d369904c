import type { ChatErrorCode } from '@mira/shared'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useChat } from '../chat-context.ts'
import type { ConversationState } from '../conversation/conversation-state.ts'
import { useAnswerProblem } from '../messages/stream-error.tsx'
import { spokenSince } from '../voice/spoken-sentences.ts'

/** Interval for announcing new text of an answer. */
const ANNOUNCE_INTERVAL_MS = 1_000
/** Maximum number of parts kept in the live region; older ones have been announced, and the answer contains them. */
const MAX_PARTS = 6

/** Announces the answer to screen readers in whole sentences, and says that it has begun, stopped or failed. */
export function Announcer() {
  const { state } = useChat()
  const text = useText('chat')
  const status = useStatus(state)
  const parts = useSpokenAnswer(state, text('announce.code'))
  return (
    <div className="sr-only">
      <p role="status">{status}</p>
      <div role="log" aria-live="polite" aria-label={text('announce.answer', { assistant: assistantName() })}>
        {parts.map(({ id, speech }) => (
          <p key={id}>{speech}</p>
        ))}
      </div>
    </div>
  )
}

function useStatus({ activity, isStopping, items }: ConversationState): string {
  const text = useText('chat')
  const answerProblem = useAnswerProblem()
  const [hasBegun, setHasBegun] = useState(false)
  if (activity !== 'idle' && !hasBegun) setHasBegun(true)
  if (activity === 'reconnecting') return text('status.reconnecting')
  if (isStopping) return text('status.stopping')
  if (activity !== 'idle') return text('status.answering', { assistant: assistantName() })
  const last = items.at(-1)
  if (!hasBegun || last?.role !== 'assistant' || last.failure !== null) return ''
  if (last.error !== null) {
    const problem = answerProblem(last.error, last.error_code as ChatErrorCode | null, last.error_told)
    return text('messages.error', { text: problem })
  }
  return text(last.interrupted ? 'status.interrupted' : 'status.complete')
}

function useSpokenAnswer(state: ConversationState, codeWord: string): { id: number; speech: string }[] {
  const [parts, setParts] = useState<{ id: number; speech: string }[]>([])
  const announcedUpTo = useRef({ key: '', position: 0 })
  const answer = state.items.findLast((item) => item.role === 'assistant')
  const isStreaming = answer?.streaming === true

  const announce = useEffectEvent((isEnd: boolean) => {
    if (!answer || announcedUpTo.current.key !== answer.key) return
    const { speech, next } = spokenSince(answer.content, announcedUpTo.current.position, isEnd, codeWord)
    announcedUpTo.current.position = next
    if (speech !== '') setParts((previous) => [...previous, { id: next, speech }].slice(-MAX_PARTS))
  })
  const begin = useEffectEvent(() => {
    // Text that was already there when the answer appeared isn't announced; it can be read on the page.
    announcedUpTo.current = {
      key: answer?.key ?? '',
      position: state.live?.questionKey ? 0 : (answer?.content.length ?? 0),
    }
    setParts([])
  })

  useEffect(() => {
    if (!isStreaming) return
    begin()
    const timer = setInterval(() => announce(false), ANNOUNCE_INTERVAL_MS)
    return () => {
      clearInterval(timer)
      announce(true)
    }
  }, [isStreaming])

  return parts
}
