import { setTimeout as sleep } from 'node:timers/promises'
import { understandPhrases } from './modules/search/index.ts'
import { judgeMessage } from './offline/message-kind/message-kind.ts'

/** Time for whoever restarted the server and waits for it. */
const DELAY_MS = 10_000
const PAUSE_MS = 500
/**
 * V8 compiles an expression to bytecode for its first text and to machine code for the second one, separately for texts
 * within and beyond Latin-1.
 */
const SENTENCES = [
  'Tell me a joke',
  'What did Anna say about last summer?',
  'Where is “the contract” of 3 May?',
  'What was “the party” in July 2025?',
]

/**
 * Compiles the large expressions that find times in texts, for which the first messages and searches would wait for up to
 * 0.4 s each. Each sentence holds up the event loop for about that long, so there are pauses in between.
 */
export async function warmUp(): Promise<void> {
  await sleep(DELAY_MS, undefined, { ref: false })
  for (const sentence of SENTENCES) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    judgeMessage(sentence)
    understandPhrases(sentence, { now: new Date(), timeZone: 'UTC', language: 'en' })
  }
}
