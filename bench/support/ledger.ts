import { appendFileSync } from 'node:fs'
import { ApiError, type createMira } from '@mira/client'
import { ANSWER } from './model-process.ts'

type Mira = Pick<ReturnType<typeof createMira>, 'call' | 'callForResponse'>

export interface AcknowledgedUpload {
  id: string
  /** Word that occurs only in its text or filename. */
  word: string
  sha256: string
}

/** A message; without `messageId`, its arrival was never acknowledged. */
export interface RecordedQuestion {
  clientId: string
  content: string
  sessionId: string | null
  /** Id of the answer. */
  messageId?: string
  /** Answer text as received. */
  text: string
  end?: 'complete' | 'interrupted' | 'failed'
  /** Number of resumptions after a broken connection. */
  resumptions: number
}

/** Acknowledged writes of one user. */
export interface Ledger {
  uploads: AcknowledgedUpload[]
  questions: RecordedQuestion[]
  /** Texts of acknowledged reminders, which are due by the comparison. */
  reminders: string[]
  /** Number of uploads sent but never acknowledged, which may or may not exist. */
  unacknowledged: number
}

/** Creates an empty ledger, and a function that appends acknowledgements to the journal, if any. */
export function createLedger(name: string, journal?: string) {
  const ledger: Ledger = { uploads: [], questions: [], reminders: [], unacknowledged: 0 }
  const note = (kind: string, fact: object) => {
    if (journal) appendFileSync(journal, `${JSON.stringify({ at: new Date().toISOString(), name, kind, ...fact })}\n`)
  }
  return { ledger, note }
}

/** Compares the acknowledged writes with the user's current data, after processing. @returns deviations as sentences. */
export async function compareWithLedger(name: string, mira: Mira, ledger: Ledger): Promise<string[]> {
  return [
    ...(await compareUploads(name, mira, ledger)),
    ...(await compareQuestions(name, mira, ledger)),
    ...(await compareReminders(name, mira, ledger)),
  ]
}

async function compareUploads(name: string, mira: Mira, { uploads, unacknowledged }: Ledger): Promise<string[]> {
  const deviations: string[] = []
  for (const { id, word, sha256 } of uploads) {
    try {
      const item = await mira.call('GET /media/:id', { params: { id } })
      if (item.processing_status !== 'completed') deviations.push(`${word} is ${item.processing_status}`)
      if (item.metadata.sha256 !== sha256) deviations.push(`${word} is another file`)
      const file = await mira.callForResponse('GET /media/:id/file', { params: { id } })
      const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
      if (Buffer.from(digest).toString('hex') !== sha256) deviations.push(`the file of ${word} has changed`)
      const { results } = await mira.call('GET /media/search', { query: { query: word, limit: 20 } })
      if (!results.some(({ media_id }) => media_id === id)) deviations.push(`${word} is not found`)
      // an item may have several results
      const others = new Set(
        results.map(({ media_id }) => media_id).filter((other) => uploads.every((own) => own.id !== other)),
      )
      if (others.size > unacknowledged)
        deviations.push(`${name} is shown items that aren't among the acknowledged uploads`)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      deviations.push(`${word}: ${error.detail}`)
    }
  }
  const { total } = await mira.call('GET /media/library')
  const acknowledged = new Set(uploads.map(({ id }) => id)).size
  if (total < acknowledged || total > acknowledged + unacknowledged)
    deviations.push(`${name} has ${total} items instead of ${acknowledged}`)
  return deviations
}

async function compareQuestions(name: string, mira: Mira, { questions }: Ledger): Promise<string[]> {
  const deviations: string[] = []
  const sessionIds = new Set(questions.flatMap(({ messageId, sessionId }) => (messageId && sessionId) || []))
  const counts = new Map<string, number>()
  for (const id of sessionIds) {
    const messages = await readMessages(mira, id)
    for (const { role, content } of messages) if (role === 'user') counts.set(content, (counts.get(content) ?? 0) + 1)
    for (const { content, messageId, sessionId, text, end } of questions) {
      if (sessionId !== id || messageId === undefined) continue
      const answer = messages.find((message) => message.id === messageId)
      if (!answer) deviations.push(`the answer to “${content}” is missing`)
      else if (answer.streaming) deviations.push(`the answer to “${content}” never ended`)
      else if (end === 'complete' && (answer.interrupted || answer.content !== text))
        deviations.push(`the answer to “${content}” isn't the text received`)
      if (end === 'complete' && text !== ANSWER) deviations.push(`the answer to “${content}” was received as “${text}”`)
    }
  }
  for (const { content, messageId, sessionId } of questions) {
    const times = counts.get(content) ?? 0
    if (times > 1) deviations.push(`“${content}” exists ${times} times`)
    // one whose conversation is unknown can't be looked up
    if (messageId !== undefined && sessionId !== null && times === 0) deviations.push(`“${content}” is missing`)
  }
  return deviations.map((deviation) => `${name}: ${deviation}`)
}

/** All messages of a conversation, which is read in pages. */
async function readMessages(mira: Mira, id: string) {
  const messages = []
  let before: string | null = null
  do {
    const query = before ? { before } : {}
    const page: Awaited<ReturnType<typeof mira.call<'GET /chat/sessions/:id'>>> = await mira.call(
      'GET /chat/sessions/:id',
      { params: { id }, query },
    )
    messages.unshift(...page.messages)
    before = page.previous_cursor
  } while (before !== null)
  return messages
}

async function compareReminders(name: string, mira: Mira, { reminders }: Ledger): Promise<string[]> {
  const times = new Map<string, number>()
  let cursor: string | null = null
  do {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) }
    const page: Awaited<ReturnType<typeof mira.call<'GET /notifications'>>> = await mira.call('GET /notifications', {
      query,
    })
    for (const { kind, params } of page.notifications)
      if (kind === 'reminder_due') times.set(String(params.text), (times.get(String(params.text)) ?? 0) + 1)
    cursor = page.next_cursor
  } while (cursor !== null)
  return reminders
    .filter((text) => times.get(text) !== 1)
    .map((text) => `${name}: the reminder “${text}” came ${times.get(text) ?? 0} times`)
}
