import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import { NotFoundError, UnavailableError } from '../../errors.ts'
import { boundedResponse } from '../../platform/net/bounded-fetch.ts'

/** Connection settings of a server with the OpenAI protocol, which may be Ollama. */
interface OllamaSettings {
  baseUrl: string
  apiKey: string | null
  headers: Record<string, string>
}

/** Progress of a model's download. */
interface PullProgress {
  completedBytes: number
  totalBytes: number
}

/** Ollama's own protocol, in addition to OpenAI's: list, download and remove models. */
export interface Ollama {
  /** Version and downloaded models; null when the server isn't Ollama or doesn't respond. */
  describe(settings: OllamaSettings): Promise<{ version: string; models: { name: string; sizeBytes: number }[] } | null>
  /** Downloads a model until the signal is aborted. @throws UnavailableError with the reason. */
  pull(settings: OllamaSettings, model: string, signal: AbortSignal): AsyncIterable<PullProgress>
  /** @throws NotFoundError, UnavailableError */
  remove(settings: OllamaSettings, model: string): Promise<void>
}

const TIMEOUT_MS = 10_000
/** A server that is silent this long during a download has lost its own connection. */
const SILENT_MS = 5 * 60_000
const MAX_LINE_CHARACTERS = 64 * 1024
const LIST_MAX_BYTES = 4_000_000
const MAX_MESSAGE_CHARACTERS = 300

const versionSchema = z.object({ version: z.string().max(100) })
const tagsSchema = z.object({ models: z.array(z.object({ name: z.string(), size: z.number().int().nonnegative() })) })
const lineSchema = z.object({
  status: z.string().optional(),
  digest: z.string().optional(),
  total: z.number().optional(),
  completed: z.number().optional(),
  error: z.string().optional(),
})

/** @param fetchGuarded refuses the metadata addresses of cloud providers. */
export function createOllama(fetchGuarded: typeof fetch): Ollama {
  const ask = (settings: OllamaSettings, path: string, init: RequestInit): Promise<Response> => {
    const root = settings.baseUrl.replace(/\/v1$/, '')
    const headers = new Headers(settings.headers)
    if (settings.apiKey !== null) headers.set('authorization', `Bearer ${settings.apiKey}`)
    if (init.body !== undefined) headers.set('content-type', 'application/json')
    return fetchGuarded(`${root}${path}`, { ...init, headers })
  }
  const send = (settings: OllamaSettings, path: string, method: string, body: object, signal: AbortSignal) =>
    ask(settings, path, { method, signal, body: JSON.stringify(body) })

  const readJson = async <Schema extends z.ZodType>(settings: OllamaSettings, path: string, schema: Schema) => {
    const response = await ask(settings, path, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!response.ok) {
      await response.body?.cancel()
      return null
    }
    const text = await boundedResponse(response, { maxBytes: LIST_MAX_BYTES }).text()
    return schema.safeParse(parsed(text)).data ?? null
  }

  return {
    async describe(settings) {
      try {
        const versionInfo = await readJson(settings, '/api/version', versionSchema)
        const tags = versionInfo === null ? null : await readJson(settings, '/api/tags', tagsSchema)
        if (versionInfo === null || tags === null) return null
        return {
          version: versionInfo.version,
          models: tags.models.map(({ name, size }) => ({ name, sizeBytes: size })),
        }
      } catch {
        // Unreachable, or not Ollama: the connection's own check reports which.
        return null
      }
    },

    async *pull(settings, model, signal) {
      const silence = new AbortController()
      let timer = setTimeout(() => silence.abort(), SILENT_MS)
      const parts = new Map<string, { total: number; completed: number }>()
      let isDone = false
      try {
        const stop = AbortSignal.any([signal, silence.signal])
        const response = await send(settings, '/api/pull', 'POST', { model, stream: true }, stop)
        for await (const line of linesOf(response)) {
          clearTimeout(timer)
          timer = setTimeout(() => silence.abort(), SILENT_MS)
          const { status, digest, total, completed = 0, error } = lineSchema.parse(parsed(line))
          if (error !== undefined) throw ollamaError(error)
          isDone ||= status === 'success'
          if (digest === undefined || total === undefined) continue
          parts.set(digest, { total, completed: Math.min(completed, total) })
          yield sumOf([...parts.values()])
        }
        if (!response.ok) throw ollamaError(`it responded with status ${response.status}`)
        if (!isDone) throw ollamaError('the download ended before it was complete')
      } catch (error) {
        if (signal.aborted || error instanceof UnavailableError) throw error
        throw ollamaError(silence.signal.aborted ? 'it stopped responding' : 'the connection was lost', error)
      } finally {
        clearTimeout(timer)
      }
    },

    async remove(settings, model) {
      let response: Response
      try {
        response = await send(settings, '/api/delete', 'DELETE', { model }, AbortSignal.timeout(TIMEOUT_MS))
        await response.body?.cancel()
      } catch (error) {
        throw ollamaError('it can’t be reached', error)
      }
      if (response.status === 404) throw new NotFoundError('This model no longer exists.')
      if (!response.ok) throw ollamaError(`it responded with status ${response.status}`)
    },
  }
}

function sumOf(parts: { total: number; completed: number }[]): PullProgress {
  const sum = (pick: (part: { total: number; completed: number }) => number) =>
    Math.round(parts.reduce((whole, part) => whole + pick(part), 0))
  return { totalBytes: sum(({ total }) => total), completedBytes: sum(({ completed }) => completed) }
}

function ollamaError(message: string, cause?: unknown): UnavailableError {
  const plain = cutText(message.replace(/\s+/g, ' ').trim(), MAX_MESSAGE_CHARACTERS).toWellFormed()
  return new UnavailableError(`Ollama reported an error: ${plain}.`.replace(/\.\.$/, '.'), {
    code: 'ollama_failed',
    cause,
  })
}

async function* textOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>)
    yield decoder.decode(part, { stream: true })
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = ''
  for await (const part of textOf(response)) {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) throw new Error('a line is too long')
    yield* lines.filter((line) => line.trim() !== '')
  }
  if (rest.trim() !== '') yield rest
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
