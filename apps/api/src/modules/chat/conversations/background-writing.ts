import type { Events } from '../../../platform/events/events.service.ts'
import type { RecordedAnswer } from '../turns/record.ts'
import type { Turn } from '../turns/turn.ts'
import { updatedEvent } from './present.ts'
import type { SummaryWriter, TitleWriter } from './writers.ts'

export type BackgroundWriting = ReturnType<typeof createBackgroundWriting>

/** Background writing of titles and summaries; a new question in the conversation stops it. */
export function createBackgroundWriting({
  titles,
  summaries,
  events,
}: {
  titles: TitleWriter
  summaries: SummaryWriter
  events: Events
}) {
  /** Stops background writing for a conversation. */
  const cancelWriting = (sessionId: string) => {
    titles.cancel(sessionId)
    summaries.cancel(sessionId)
  }

  /** Background work on a conversation after a new answer. */
  const writeAfter = (
    { startedAnswer, userId, content, engine, isPicked, resumed, kind }: Turn,
    recorded: RecordedAnswer | null,
  ) => {
    // answers for comparison don't contribute to summaries or titles
    if (recorded?.result.state !== 'complete' || kind === 'compared') return
    const pickedEngine = isPicked ? engine : undefined
    if (recorded.unsummarised !== null) summaries.begin(recorded.unsummarised, pickedEngine)
    // a conversation has its title since its first answer
    if (startedAnswer.parentId !== null || resumed !== undefined) return
    const { sessionId } = startedAnswer
    const answer = recorded.result.content
    titles.begin({ sessionId, question: content, answer, engine: pickedEngine }, () =>
      events.publish(userId, updatedEvent(sessionId)),
    )
  }

  return {
    cancelWriting,
    writeAfter,
    /** Waits for running writers. */
    async close(): Promise<void> {
      await Promise.all([titles.close(), summaries.close()])
    },
  }
}
