import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type createMira } from '@mira/client'
import { type Chance, oneOf } from '../../apps/api/test/chance.ts'
import { writtenPdf } from '../../apps/api/test/pdf-files.ts'

type Mira = ReturnType<typeof createMira>

/** Percentages of a user's actions. */
const shares = {
  'ask in a conversation': 25,
  'begin a conversation': 5,
  'upload a text': 8,
  'upload a photo': 5,
  'upload a paper': 2,
  search: 15,
  'open the gallery': 15,
  'open an item': 5,
  'open the dashboard': 10,
  'open a conversation': 8,
  'open the analytics': 2,
}
export type Deed = keyof typeof shares

/** From the end of one deed to the next one, on the average. */
const THINKING_MS = 4000
/** As many as a phone shows at first. */
const THUMBNAILS = 6
const SMALL_TALK = ['Tell me something about the sea', 'What did I note last?', 'Make a plan for the weekend']

/** Duration of an action: an answer until its first words, everything else until complete. */
export interface Done {
  deed: Deed
  ms: number
}

/** Somebody who uses a server through its API, and remembers what was acknowledged. */
export interface PersonAtWork {
  /** Does one thing after the other, with time to think between. Resolves after `until` (`performance.now()`). */
  live(until: number): Promise<void>
  /** Acknowledged data that is missing, as sentences; empty when all is well. To be called after processing. */
  missing(): Promise<string[]>
}

/** Options of a simulated user. */
export interface PersonOptions {
  name: string
  mira: Mira
  /** Random source for actions and their timing. */
  chance: Chance
  /** A photo; each person makes it their own. */
  photo: Buffer
  /** Told of each deed. */
  onDone(done: Done): void
  /** Told of what was refused or broke off. */
  onError(deed: Deed, error: Error): void
}

/** Makes somebody who does what people do, at random but by its shares. */
export function createPerson({ name, mira, chance, photo, onDone, onError }: PersonOptions): PersonAtWork {
  const uploads: { id: string; word: string }[] = []
  const questions = new Map<string, number>()
  let made = 0

  /** Undefined as long as there is none. */
  const anyOf = <One>(all: readonly One[]) => (all.length === 0 ? undefined : oneOf(chance, all))

  /** @returns how long it took until the first words came, in milliseconds. */
  async function ask(sessionId: string | undefined): Promise<number> {
    const startedAt = performance.now()
    let firstWordsMs = Number.NaN
    let [session, isComplete] = [sessionId, false]
    for await (const { event } of mira.ask({ content: oneOf(chance, SMALL_TALK), session_id: sessionId ?? null })) {
      if (event.type === 'session') session = event.session_id ?? session
      if (event.type === 'chunk' && Number.isNaN(firstWordsMs)) firstWordsMs = performance.now() - startedAt
      if (event.type === 'complete') isComplete = true
      if (event.type === 'error') throw new Error(event.content)
    }
    if (!isComplete || session === undefined) throw new Error('An answer ended before it was complete.')
    questions.set(session, (questions.get(session) ?? 0) + 1)
    return firstWordsMs
  }

  async function upload(type: string, filename: string, content: Buffer, word: string): Promise<void> {
    const form = new FormData()
    form.append('wait', '0')
    form.append('file', new Blob([new Uint8Array(content)], { type }), filename)
    const { id } = await mira.call('POST /media/upload', { form })
    uploads.push({ id, word })
  }

  /** A word that nobody else has. */
  const newWord = () => `${name}x${(made++).toString(36)}`

  async function openGallery(): Promise<void> {
    const [{ media_items }] = await Promise.all([mira.call('GET /media/library'), mira.call('GET /media/stats')])
    const shown = media_items.filter(({ thumbnail }) => thumbnail !== null).slice(0, THUMBNAILS)
    const pictures = shown.map(({ id }) => mira.callForResponse('GET /media/:id/thumbnail', { params: { id } }))
    await Promise.all(pictures.map(async (picture) => (await picture).arrayBuffer()))
  }

  const deeds: Record<Deed, () => Promise<unknown>> = {
    'ask in a conversation': () => ask(anyOf([...questions.keys()])),
    'begin a conversation': () => ask(undefined),
    'upload a text': () => {
      const word = newWord()
      const lines = `A note of ${word}.\n${'The keeper wrote a line about the ships each night. '.repeat(8)}`
      return upload('text/plain', `${word}.txt`, Buffer.from(lines), word)
    },
    'upload a photo': () => {
      const word = newWord()
      return upload('image/jpeg', `${word}.jpg`, Buffer.concat([photo, Buffer.from(word)]), word)
    },
    'upload a paper': async () => {
      const word = newWord()
      const pages = [1, 2, 3].map((page) => ({
        lines: [`Page ${page} of ${word}`, 'Paid until the end of the month.'],
      }))
      await upload('application/pdf', `${word}.pdf`, await writtenPdf(pages), word)
    },
    search: async () => {
      const query = chance() < 0.5 ? anyOf(uploads)?.word : undefined
      await mira.call('GET /media/search', { query: { query: query ?? oneOf(chance, SMALL_TALK), limit: 20 } })
    },
    'open the gallery': openGallery,
    'open an item': async () => {
      const item = anyOf(uploads)
      if (item) await mira.call('GET /media/:id', { params: { id: item.id } })
      else await openGallery()
    },
    'open the dashboard': async () => {
      await Promise.all([
        mira.call('GET /dashboard/overview'),
        mira.call('GET /dashboard/activity'),
        mira.call('GET /notifications'),
        mira.call('GET /reminders'),
      ])
    },
    'open a conversation': async () => {
      const session = anyOf([...questions.keys()])
      await Promise.all([
        mira.call('GET /chat/sessions'),
        session === undefined ? null : mira.call('GET /chat/sessions/:id', { params: { id: session } }),
      ])
    },
    'open the analytics': () => mira.call('GET /analytics', { query: { period: 'week' } }),
  }

  function chooseDeed(): Deed {
    let left = chance() * 100
    for (const [deed, share] of Object.entries(shares)) {
      left -= share
      if (left < 0) return deed as Deed
    }
    return 'search'
  }

  return {
    async live(until) {
      await sleep(chance() * THINKING_MS)
      while (performance.now() < until) {
        const deed = chooseDeed()
        const startedAt = performance.now()
        try {
          const result = await deeds[deed]()
          onDone({ deed, ms: typeof result === 'number' ? result : performance.now() - startedAt })
        } catch (error) {
          if (!(error instanceof Error)) throw error
          onError(deed, error)
        }
        await sleep(-Math.log(1 - chance()) * THINKING_MS)
      }
    },

    async missing() {
      const sentences: string[] = []
      for (const { id, word } of uploads) {
        try {
          const item = await mira.call('GET /media/:id', { params: { id } })
          if (item.processing_status !== 'completed') sentences.push(`${word} is ${item.processing_status}`)
          const { results } = await mira.call('GET /media/search', { query: { query: word, limit: 20 } })
          if (!results.some(({ media_id }) => media_id === id)) sentences.push(`${word} is not found`)
          const others = results.filter(({ media_id }) => !uploads.some((own) => own.id === media_id))
          if (others.length > 0) sentences.push(`${name} is shown what somebody else uploaded`)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          sentences.push(`${word}: ${error.detail}`)
        }
      }
      for (const [id, asked] of questions) {
        const { message_count } = await mira.call('GET /chat/sessions/:id', { params: { id } })
        if (message_count < 2 * asked) sentences.push(`${name} has ${message_count} messages of ${2 * asked}`)
      }
      return sentences
    },
  }
}
