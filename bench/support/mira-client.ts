import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AdminSettingsResponseJson,
  type ChatEvent,
  decodeSse,
  type SearchResponseJson,
  SSE_DONE,
} from '@mira/shared'
import { signInTo } from './chat-targets.ts'

const POLL_MS = 200
const ATTEMPTS = 20
const WAIT_MS = 500
/** Number of results on the first page. */
const RESULTS = 20

export interface FileToUpload {
  filename: string
  type: string
  content: Buffer
}
export interface ChatAnswer {
  sessionId: string
  sources: { media_id: string; snippet: string }[]
  text: string
  modelUsed: string
}

/** Actions of a user, over the product's API. */
export interface Mira {
  /** Uploads a file with optional form fields; it is processed afterwards. @returns the item's id. */
  upload(file: FileToUpload, fields?: Record<string, string>): Promise<string>
  /** Resolves when everything is processed, with the number of failed items. */
  waitUntilProcessed(): Promise<number>
  search(query: string, language?: string): Promise<SearchResponseJson & { ms: number }>
  sendMessage(content: string, sessionId?: string): Promise<ChatAnswer>
  deleteConversation(sessionId: string): Promise<void>
  /** Imports conversations of another program; resolves when the import is done. */
  importConversations(file: FileToUpload): Promise<void>
  /** With `off`, the built-in engine answers from now on. */
  setChatEngine(engine: 'auto' | 'off'): Promise<void>
}

export async function connect(url: string, username = 'admin'): Promise<Mira> {
  const headers = { authorization: `Bearer ${await signInTo(url, username)}`, 'x-time-zone': 'UTC' }

  /** Retries when the server is busy. */
  const call = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(`${url}/api${path}`, { ...init, headers: { ...headers, ...init.headers } })
      if (response.ok) return response
      const text = await response.text()
      const isBusy = response.status === 429 || response.status === 503
      if (!isBusy || attempt === ATTEMPTS) throw new Error(`${path} failed with ${response.status}: ${text}`)
      await sleep(Number(response.headers.get('retry-after') ?? 0) * 1000 || WAIT_MS)
    }
  }

  return {
    async upload({ filename, type, content }, fields = {}) {
      const form = new FormData()
      for (const [name, value] of Object.entries({ wait: '0', ...fields })) form.append(name, value)
      form.append('file', new Blob([new Uint8Array(content)], { type }), filename)
      const response = await call('/media/upload', { method: 'POST', body: form })
      return ((await response.json()) as { id: string }).id
    },
    async waitUntilProcessed() {
      for (;;) {
        const stats = (await (await call('/media/stats')).json()) as { processing: number; failed: number }
        if (stats.processing === 0) return stats.failed
        await sleep(POLL_MS)
      }
    },
    async search(query, language = 'en') {
      const parameters = new URLSearchParams({ query, limit: String(RESULTS), include_frames: 'true' })
      const startedAt = performance.now()
      const response = await call(`/media/search?${parameters}`, { headers: { 'accept-language': language } })
      return { ...((await response.json()) as SearchResponseJson), ms: performance.now() - startedAt }
    },
    async sendMessage(content, sessionId) {
      const response = await call('/chat/message', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content, session_id: sessionId ?? null, has_images: false, images: [] }),
      })
      return readAnswer(response)
    },
    async deleteConversation(sessionId) {
      await call(`/chat/sessions/${sessionId}`, { method: 'DELETE' })
    },
    async importConversations({ filename, type, content }) {
      const form = new FormData()
      form.append('source', 'open-webui')
      form.append('file', new Blob([new Uint8Array(content)], { type }), filename)
      const { id } = (await (await call('/imports', { method: 'POST', body: form })).json()) as { id: string }
      for (;;) {
        const { state } = (await (await call(`/imports/${id}`)).json()) as { state: string }
        if (state === 'done') return
        if (state === 'failed' || state === 'cancelled')
          throw new Error(`The conversations could not be imported: ${state}`)
        await sleep(POLL_MS)
      }
    },
    async setChatEngine(engine) {
      const { settings } = (await (await call('/admin/settings')).json()) as AdminSettingsResponseJson
      const engines = { ...settings.engines, chat: { engine, model: null } }
      await call('/admin/settings', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...settings, engines }),
      })
    },
  }
}

async function readAnswer(response: Response): Promise<ChatAnswer> {
  const answer: ChatAnswer = { sessionId: '', sources: [], text: '', modelUsed: '' }
  if (!response.body) throw new Error('The response has no body')
  for await (const { data } of decodeSse(response.body.pipeThrough(new TextDecoderStream()))) {
    if (data === SSE_DONE) break
    const event = JSON.parse(data) as ChatEvent
    // a repeated session event means that the text so far was reasoning
    if (event.type === 'session') Object.assign(answer, { sessionId: event.session_id ?? '', text: '' })
    if (event.type === 'sources') answer.sources = event.sources as ChatAnswer['sources']
    if (event.type === 'chunk') answer.text += event.content
    if (event.type === 'complete') answer.modelUsed = event.model_used ?? ''
    if (event.type === 'error') throw new Error(`An answer failed: ${event.content}`)
  }
  return answer
}

/** Maps items with limited concurrency. @returns the results in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: Item[],
  concurrency: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.map((item, index) => ({ item, index })).reverse()
  const worker = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      results[next.index] = await work(next.item, next.index)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return results
}
