import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type createMira } from '@mira/client'
import { between, pickOne, type Random } from '../../apps/api/test/chance.ts'
import { textPdf } from '../../apps/api/test/pdf-files.ts'
import { compareWithLedger, createLedger, type Ledger, type RecordedQuestion } from './ledger.ts'

type Mira = ReturnType<typeof createMira>

/** Percentages of a user's actions. */
const shares = {
  'ask in a conversation': 25,
  'begin a conversation': 5,
  'upload a text': 8,
  'upload a photo': 5,
  'upload a paper': 2,
  'set a reminder': 2,
  search: 15,
  'open the gallery': 14,
  'open an item': 5,
  'open the dashboard': 9,
  'open a conversation': 8,
  'open the analytics': 2,
}
export type Action = keyof typeof shares
export const actionNames = Object.keys(shares) as Action[]

/** Number of thumbnails that a phone shows at first. */
const THUMBNAILS = 6
const SMALL_TALK = ['Tell me something about the sea', 'What did I note last?', 'Make a plan for the weekend']
const FILLER_TEXT = 'The keeper wrote a line about the ships each night. '.repeat(8)
/** Time until a reminder is due. */
const REMINDER_MS = [5_000, 20_000] as const
/** First and longest delay between the attempts of a client. */
const [FIRST_RETRY_MS, MAX_RETRY_MS] = [250, 2_000]

/** Duration of an action: an answer until its first words, everything else until complete. */
export interface CompletedAction {
  deed: Action
  ms: number
}

/** Simulated user of the API that records acknowledged writes. */
export interface SimulatedUser {
  /** Client of the URL in use. */
  readonly mira: Mira
  ledger: Ledger
  /** Performs this action, or a random one by `shares`. @param scheduledAt start of the measurement (`performance.now()`). */
  act(scheduledAt: number, deed?: Action): Promise<void>
  /** Acknowledged data that is missing, has changed or exists twice, as sentences; call it after processing. */
  deviations(): Promise<string[]>
}

/** Texts of a user's files, and of their messages and searches. */
export interface SimulatedUserTexts {
  records: string[]
  questions: string[]
}

/** Options of a simulated user. */
export interface SimulatedUserOptions {
  name: string
  /** The API at each address of the service; after a failure, the next one is used. */
  miras: Mira[]
  /** Random source for actions and their timing. */
  chance: Random
  /** Photos, which each user makes unique. */
  photos: Buffer[]
  texts?: SimulatedUserTexts | undefined
  /** Time during which a failed call is retried; 0 by default. */
  patienceMs?: number
  /** Journal of acknowledgements, a line each. */
  journal?: string | undefined
  /** Called after each action. */
  onDone(done: CompletedAction): void
  /** Called for each rejected or broken call that is retried. */
  onTrouble?(error: ApiError): void
  /** Called for each action that failed permanently. */
  onError(deed: Action, error: Error): void
}

/** Creates a simulated user, whose random actions follow `shares`. */
export function createSimulatedUser(options: SimulatedUserOptions): SimulatedUser {
  const { name, miras, chance, photos, texts, patienceMs = 0, onDone, onTrouble, onError } = options
  const { ledger, note } = createLedger(name, options.journal)
  let [wordCount, serverIndex] = [0, Math.floor(chance() * miras.length)]

  /** Random element; undefined when there is none. */
  const anyOf = <One>(all: readonly One[]) => (all.length === 0 ? undefined : pickOne(chance, all))
  /** Unique word. */
  const newWord = () => `${name}x${(wordCount++).toString(36)}`
  const mira = () => miras[serverIndex % miras.length] as Mira

  /** Retries like the web app, at the next URL. */
  async function retry<Result>(work: (mira: Mira) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + patienceMs
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        return await work(mira())
      } catch (error) {
        serverIndex += 1
        if (!(error instanceof ApiError) || !error.isTemporary || performance.now() > deadline) throw error
        onTrouble?.(error)
        await sleep(waitMs)
      }
    }
  }

  const call = ((...args: Parameters<Mira['call']>) => retry((mira) => mira.call(...args))) as Mira['call']
  const callForResponse = ((...args: Parameters<Mira['callForResponse']>) =>
    retry((mira) => mira.callForResponse(...args))) as Mira['callForResponse']

  /** Asks a question. @returns milliseconds until the first words of the answer. */
  async function ask(sessionId: string | null, startedAt: number): Promise<number> {
    const content = `${pickOne(chance, texts?.questions ?? SMALL_TALK)} ${newWord()}`
    const question: RecordedQuestion = { clientId: randomUUID(), content, sessionId, text: '', resumptions: 0 }
    ledger.questions.push(question)
    let [firstWordsMs, eventId] = [Number.NaN, null as number | null]
    await retry(async (mira) => {
      const { messageId, sessionId: session } = question
      const isNew = messageId === undefined || session === null
      if (!isNew) question.resumptions += 1
      const parts = isNew
        ? mira.ask({ content, session_id: sessionId, client_id: question.clientId })
        : mira.resume({ sessionId: session, messageId, eventId })
      for await (const { eventId: id, event } of parts) {
        eventId = id ?? eventId
        if (event.type === 'session') {
          question.text = ''
          question.sessionId = event.session_id
          question.messageId = event.message_id
          note('question', question)
        }
        if (event.type === 'chunk') {
          if (Number.isNaN(firstWordsMs)) firstWordsMs = performance.now() - startedAt
          question.text += event.content
        }
        if (event.type === 'complete') question.end = event.interrupted ? 'interrupted' : 'complete'
        if (event.type === 'error') {
          question.end = 'failed'
          throw new Error(event.content)
        }
      }
    })
    note('answer', question)
    if (question.end === undefined) throw new Error('An answer ended before it was complete.')
    return firstWordsMs
  }

  async function upload(type: string, filename: string, content: Buffer, word: string): Promise<void> {
    const form = new FormData()
    form.append('wait', '0')
    form.append('file', new Blob([new Uint8Array(content)], { type }), filename)
    ledger.unacknowledged += 1
    const { id } = await call('POST /media/upload', { form })
    ledger.unacknowledged -= 1
    const fact = { id, word, sha256: createHash('sha256').update(content).digest('hex') }
    ledger.uploads.push(fact)
    note('upload', fact)
  }

  async function openGallery(): Promise<void> {
    const [{ media_items }] = await Promise.all([call('GET /media/library'), call('GET /media/stats')])
    const thumbnails = media_items.filter(({ thumbnail }) => thumbnail !== null).slice(0, THUMBNAILS)
    const open = (id: string) =>
      retry(async (mira) => (await mira.callForResponse('GET /media/:id/thumbnail', { params: { id } })).arrayBuffer())
    await Promise.all(thumbnails.map(({ id }) => open(id)))
  }

  const sessions = () => ledger.questions.flatMap(({ messageId, sessionId }) => (messageId && sessionId) || [])
  /** Conversations without a running answer, as far as the user knows. */
  const idleSessions = () => {
    const busy = new Set(ledger.questions.flatMap(({ end, sessionId }) => (end === undefined && sessionId) || []))
    return sessions().filter((id) => !busy.has(id))
  }

  const deeds: Record<Action, (startedAt: number) => Promise<unknown>> = {
    'ask in a conversation': (startedAt) => ask(anyOf(idleSessions()) ?? null, startedAt),
    'begin a conversation': (startedAt) => ask(null, startedAt),
    'upload a text': () => {
      const word = newWord()
      const lines = `A note of ${word}.\n${anyOf(texts?.records ?? []) ?? FILLER_TEXT}`
      return upload('text/plain', `${word}.txt`, Buffer.from(lines), word)
    },
    'upload a photo': () => {
      const word = newWord()
      return upload('image/jpeg', `${word}.jpg`, Buffer.concat([pickOne(chance, photos), Buffer.from(word)]), word)
    },
    'upload a paper': async () => {
      const word = newWord()
      const pages = [1, 2, 3].map((page) => ({
        lines: [`Page ${page} of ${word}`, 'Paid until the end of the month.'],
      }))
      await upload('application/pdf', `${word}.pdf`, await textPdf(pages), word)
    },
    'set a reminder': async () => {
      const text = `Remember ${newWord()}`
      const due_at = new Date(Date.now() + between(chance, ...REMINDER_MS)).toISOString()
      // not retried when it may have been stored: reminders have no client ids
      await mira().call('POST /reminders', { json: { text, due_at } })
      ledger.reminders.push(text)
      note('reminder', { text, due_at })
    },
    search: async () => {
      const query = chance() < 0.5 ? anyOf(ledger.uploads)?.word : undefined
      const question = pickOne(chance, texts?.questions ?? SMALL_TALK)
      await call('GET /media/search', { query: { query: query ?? question, limit: 20 } })
    },
    'open the gallery': openGallery,
    'open an item': async () => {
      const item = anyOf(ledger.uploads)
      if (item) await call('GET /media/:id', { params: { id: item.id } })
      else await openGallery()
    },
    'open the dashboard': async () => {
      await Promise.all([
        call('GET /dashboard/overview'),
        call('GET /dashboard/activity'),
        call('GET /notifications'),
        call('GET /reminders'),
      ])
    },
    'open a conversation': async () => {
      const session = anyOf(sessions())
      await Promise.all([
        call('GET /chat/sessions'),
        session === undefined ? null : call('GET /chat/sessions/:id', { params: { id: session } }),
      ])
    },
    'open the analytics': () => call('GET /analytics', { query: { period: 'week' } }),
  }

  function chooseDeed(): Action {
    let left = chance() * 100
    for (const deed of actionNames) {
      left -= shares[deed]
      if (left < 0) return deed
    }
    return 'search'
  }

  return {
    get mira() {
      return mira()
    },
    ledger,
    async act(scheduledAt, deed = chooseDeed()) {
      try {
        const result = await deeds[deed](scheduledAt)
        onDone({ deed, ms: typeof result === 'number' ? result : performance.now() - scheduledAt })
      } catch (error) {
        if (!(error instanceof Error)) throw error
        onError(deed, error)
      }
    },
    deviations: () => compareWithLedger(name, { call, callForResponse }, ledger),
  }
}
