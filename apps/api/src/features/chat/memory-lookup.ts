import type { Source } from '@mira/shared'
import type { Log } from '../../log.ts'

/** A place without a number yet. */
export interface FoundPassage {
  source: Omit<Source, 'n'>
  text: string
}

/** Finds places in what a person has added that may answer a question, best first. */
export type SearchMemory = (
  reader: { userId: string; language: string },
  question: string,
  limit: number,
) => Promise<FoundPassage[]>

export interface MemoryLookupDeps {
  searchMemory: SearchMemory
  isSmallTalk(text: string): boolean
  memoryTimeoutMs?: number | undefined
  log: Log
}

/** A busy machine takes seconds, and an answer that does not know what the person has added is often a wrong one. */
const MEMORY_TIMEOUT_MS = 5000
/** Of an engine that has nothing else to answer from. */
const ONLY_MEMORY_TIMEOUT_MS = 10_000
const MOST_PASSAGES = 6
/** Characters of all passages for each token that the model holds: a quarter of its context. */
const CHARACTERS_PER_CONTEXT_TOKEN = 0.75
const LEAST_CHARACTERS = 1200
/** A question this short may mean what the one before was about: "And when does it end?" */
const MOST_FOLLOWING_WORDS = 6

/**
 * Makes the function that looks a question up in the person's memory. It gives what it has in time: an answer without its
 * memory is better than one that waits, or none.
 */
export function createMemoryLookup({ searchMemory, isSmallTalk, memoryTimeoutMs, log }: MemoryLookupDeps) {
  const find = async (asked: { userId: string; language: string; content: string }, previous: string | null) => {
    const found = await searchMemory(asked, asked.content, MOST_PASSAGES)
    const isShort = asked.content.trim().split(/\s+/).length <= MOST_FOLLOWING_WORDS
    if (found.length > 0 || previous === null || !isShort || isSmallTalk(previous)) return found
    return searchMemory(asked, `${previous} ${asked.content}`, MOST_PASSAGES)
  }

  return async (
    asked: { userId: string; language: string; content: string },
    conversation: { previous: string | null; contextTokens: number; isAllThereIs: boolean; signal: AbortSignal },
  ): Promise<FoundPassage[]> => {
    if (isSmallTalk(asked.content)) return []
    const { previous, contextTokens, isAllThereIs, signal } = conversation
    const timeoutMs = isAllThereIs ? ONLY_MEMORY_TIMEOUT_MS : (memoryTimeoutMs ?? MEMORY_TIMEOUT_MS)
    let giveUp = () => {}
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      giveUp = () => resolve(null)
      timer = setTimeout(giveUp, timeoutMs)
      signal.addEventListener('abort', giveUp, { once: true })
    })
    try {
      const found = await Promise.race([find(asked, previous), late])
      if (found === null) log.info({ timeout_ms: timeoutMs }, 'an answer did not wait for its memory')
      return fitting(found ?? [], contextTokens)
    } catch (error) {
      log.warn({ err: error }, 'the memory could not be searched for an answer')
      return []
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
  }
}

/** As many as the model has room for. */
function fitting(found: FoundPassage[], contextTokens: number): FoundPassage[] {
  let room = Math.max(LEAST_CHARACTERS, contextTokens * CHARACTERS_PER_CONTEXT_TOKEN)
  const passages: FoundPassage[] = []
  for (const passage of found) {
    room -= passage.text.length
    if (room < 0 && passages.length > 0) break
    passages.push(passage)
  }
  return passages
}
