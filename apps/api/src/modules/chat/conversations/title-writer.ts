import type { Ai } from '../../../engines/ai.ts'
import type { ChatEngine } from '../../../engines/chat-engine.ts'
import type { Log } from '../../../log.ts'
import type { SessionsStore } from './sessions.store.ts'
import { cleanTitle } from './titles.ts'

/** A conversation that has its first answer. */
export interface Untitled {
  sessionId: string
  question: string
  answer: string
  /** The one whose model was picked for the conversation. */
  engine?: ChatEngine | undefined
}

export interface TitleWriterDeps {
  ai: Pick<Ai, 'chat'>
  sessions: Pick<SessionsStore, 'nameSession'>
  log: Log
}

/** Lets the model name conversations in the background; without one they keep their first words as names. */
export function createTitleWriter({ ai, sessions, log }: TitleWriterDeps) {
  const writing = new Map<string, { stop: AbortController; completion: Promise<void> }>()

  const write = async (
    { sessionId, question, answer, engine: pickedEngine }: Untitled,
    onNamed: () => void,
    signal: AbortSignal,
  ) => {
    try {
      const draft = await (pickedEngine ?? ai.chat()).title(question, answer, signal)
      const title = draft === null ? null : cleanTitle(draft.replaceAll('\0', ''))
      if (title !== null && !signal.aborted && (await sessions.nameSession(sessionId, title.toWellFormed()))) onNamed()
    } catch (error) {
      // A name is no more than a nicety: the first words stay.
      if (!signal.aborted) log.info({ err: error, session_id: sessionId }, 'the model wrote no title')
    }
  }

  return {
    /** Begins to write; `onNamed` is called when the conversation has its new name. */
    begin(untitled: Untitled, onNamed: () => void): void {
      const stop = new AbortController()
      const { sessionId } = untitled
      const completion = write(untitled, onNamed, stop.signal).finally(() => {
        if (writing.get(sessionId)?.stop === stop) writing.delete(sessionId)
      })
      writing.set(sessionId, { stop, completion })
    },

    /** Gives way: the model is wanted for an answer in the same conversation. */
    cancel(sessionId: string): void {
      writing.get(sessionId)?.stop.abort()
    },

    async close(): Promise<void> {
      for (const { stop } of writing.values()) stop.abort()
      await Promise.all([...writing.values()].map(({ completion }) => completion))
    },
  }
}

export type TitleWriter = ReturnType<typeof createTitleWriter>
