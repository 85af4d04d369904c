import type OpenAI from 'openai'
import { APIError } from 'openai/core/error'
import type { Log } from '../../log.ts'
import { loadOnce } from '../../platform/lib/load-once.ts'
import { createSemaphore, type Semaphore } from '../../platform/lib/semaphore.ts'
import { type Sentence, say } from '../../sentences.ts'
import { type RemoteFailure, type RemoteRequest, readFailure } from './errors.ts'
import { listModels, type RemoteModel } from './models.ts'
import { fetchWithPlainErrors } from './plain-errors.ts'

/**
 * Rewords the failure of a named connection or a picked model, which can't be fixed in the environment.
 */
function rewordForSettings(failure: RemoteFailure, name: string, request: RemoteRequest): RemoteFailure {
  const sentence = sentenceOf(failure, name, request)
  return sentence === null ? failure : { ...failure, sentence: sentence.text, sentences: sentence.sentences }
}

function sentenceOf(
  { code, sentences }: RemoteFailure,
  name: string,
  { address, model }: RemoteRequest,
): Sentence | null {
  switch (code) {
    case 'model_unreachable': {
      const cause = String(sentences[0]?.params.cause ?? '')
      return say('connection_unreachable', { name, address, cause })
    }
    case 'model_key_refused': {
      return say('connection_key_refused', { name })
    }
    case 'model_not_found': {
      return say('connection_without_model', { name, model })
    }
    default:
      return null
  }
}

/** Address and timeouts of a server. */
export interface ConnectionOptions {
  /** Ends with /v1 for most servers; OpenAI's own when undefined. */
  baseUrl: string | undefined
  apiKey: string | undefined
  /** Name set by an administrator; undefined for the environment's server. */
  name?: string | undefined
  /** Sent with every request; as secret as the key. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Replacement for the global `fetch`. */
  fetch?: typeof fetch | undefined
  log: Log
  /** Maximum silence before the first token; comments of the server count as signs of life. */
  firstTokenTimeoutMs?: number
  /** Maximum silence after the first token. */
  idleTimeoutMs?: number
  /** Timeout of calls that aren't streamed, unless they have one of their own. */
  callTimeoutMs?: number
  /** Delay before the first retry; doubles with each further one. */
  retryDelayMs?: number
  probeTimeoutMs?: number
  probeIntervalMs?: number
  /** Time before asking again for something that the server has said it can't do. */
  unsupportedMs?: number
}

type Limits = Required<Omit<ConnectionOptions, 'baseUrl' | 'apiKey' | 'name' | 'headers' | 'fetch' | 'log'>>

/** Connection to a server that speaks the OpenAI protocol. */
export interface Connection extends Limits {
  client(): Promise<OpenAI>
  /** Scheme, host and port: never credentials or a query. */
  address: string
  /** Name shown to users. */
  name: string
  isOpenAi: boolean
  log: Log
  /** Permits for streams until their first token, fair between users: many servers answer in order of arrival. */
  chats: Semaphore
  /** Permits for calls that aren't streamed, fair between users. */
  calls: Semaphore
  /** Models as last listed. */
  models(): RemoteModel[]
  /** True once the server has listed its models, or refused to. */
  hasListed(): boolean
  /** Reason why the server can't be reached, as far as known; null when it can. */
  problem(): Sentence | null
  /** Reads a call's failure, worded for the place where an administrator can fix it: the environment or the settings. */
  readFailure(error: unknown, request: RemoteRequest, hasStarted: boolean): RemoteFailure
  /** Lists the server's models. */
  probe(): Promise<void>
  /** Probes unless the last probe was within this time. */
  probeUnlessRecent(withinMs: number): Promise<void>
  /** Probes in the background when the last result is stale. */
  refresh(): void
  /** Records a response to a call. */
  recordResponse(): void
  /** Records that the server couldn't be reached, for all capabilities, until it responds again. */
  recordUnreachable(sentence: Sentence): void
  /** Time of the last response or attempt; null before the first. */
  checkedAt(): Date | null
}

/**
 * Limits streams before their first token. A server that handles one request at a time never has more than two requests of one
 * user in its own queue, and a server that handles many starts them at once.
 */
const CHATS = { permits: 64, perUser: 2, busy: 'Too many messages wait for the model server. Try again in a moment.' }
const CALLS = { permits: 16, perUser: 4, busy: 'Too many calls wait for the model server. Try again in a moment.' }
const MAX_WAITING_PER_USER = 50
const MAX_WAITING = 500

const OPENAI_BASE_URL = 'https://api.openai.com/v1'

/** Connects to a server through the `openai` package, and lists its models now and then. */
export function createConnection(options: ConnectionOptions): Connection {
  const { baseUrl, apiKey, name, headers = {}, fetch: baseFetch, log, ...timeouts } = options
  const limits: Limits = {
    // A machine at home may read a long prompt for minutes.
    firstTokenTimeoutMs: timeouts.firstTokenTimeoutMs ?? MAX_CALL_MS,
    idleTimeoutMs: timeouts.idleTimeoutMs ?? 60_000,
    callTimeoutMs: timeouts.callTimeoutMs ?? 120_000,
    retryDelayMs: timeouts.retryDelayMs ?? 500,
    probeTimeoutMs: timeouts.probeTimeoutMs ?? 5_000,
    probeIntervalMs: timeouts.probeIntervalMs ?? 30_000,
    unsupportedMs: timeouts.unsupportedMs ?? 10 * 60_000,
  }
  const baseURL = baseUrl ?? OPENAI_BASE_URL
  const url = new URL(baseURL)
  const { origin: address, hostname, host } = url
  // Azure and others expect `api-version` after each path.
  const defaultQuery = Object.fromEntries(url.searchParams)
  url.search = ''
  // Loading the package takes a tenth of Mira's start-up time, and many instances have no model server.
  const client = loadOnce(async () => {
    const { default: Client } = await import('openai')
    return new Client({
      baseURL: url.href,
      defaultQuery,
      // The package requires a key, although self-hosted servers need none.
      apiKey: apiKey ?? 'none',
      organization: null,
      project: null,
      maxRetries: 0,
      // Limits only the wait for the response headers; every call has a shorter timeout of its own.
      timeout: Math.max(MAX_CALL_MS, limits.firstTokenTimeoutMs),
      logLevel: 'off',
      defaultHeaders: { ...(hostname === ANTHROPIC && apiKey ? anthropicHeaders(apiKey) : {}), ...headers },
      fetch: fetchWithPlainErrors({ baseFetch, secrets: Object.values(headers) }),
    })
  })

  let models: RemoteModel[] = []
  let hasListed = false
  let problem: Sentence | null = say('server_waiting', { address })
  let probedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined
  let checkedAt: Date | null = null

  const readConnectionFailure: Connection['readFailure'] = (error, request, hasStarted) => {
    const failure = readFailure(error, request, hasStarted)
    return name === undefined && request.variable !== '' ? failure : rewordForSettings(failure, name ?? host, request)
  }

  const probe = () => {
    probing ??= client()
      .then((loaded) => listModels(loaded, limits.probeTimeoutMs, models))
      .then((listed) => {
        models = listed ?? []
        hasListed = true
        problem = listed === null ? say('page_instead_of_models', { address }) : null
      })
      .catch((error: unknown) => {
        const failure = readConnectionFailure(error, { address, model: '', variable: 'CHAT_MODEL' }, false)
        // Some servers respond but don't list models; the call itself will show whether it works.
        const isUp = error instanceof APIError && (error.status === 404 || error.status === 405)
        hasListed ||= isUp
        problem = isUp ? null : { text: failure.sentence, sentences: failure.sentences }
        log.debug({ err: error }, "the model server's models could not be listed")
      })
      .finally(() => {
        checkedAt = new Date()
        probedAt = performance.now()
        probing = undefined
      })
    return probing
  }

  return {
    ...limits,
    client,
    address,
    name: name ?? host,
    isOpenAi: hostname === 'api.openai.com',
    log,
    chats: createSemaphore({ ...CHATS, maxWaiting: MAX_WAITING, maxWaitingPerUser: MAX_WAITING_PER_USER }),
    calls: createSemaphore({ ...CALLS, maxWaiting: MAX_WAITING, maxWaitingPerUser: MAX_WAITING_PER_USER }),
    models: () => models,
    hasListed: () => hasListed,
    problem: () => problem,
    readFailure: readConnectionFailure,
    probe,
    probeUnlessRecent: async (withinMs) => {
      if (performance.now() - probedAt > withinMs) await probe()
    },
    refresh() {
      if (performance.now() - probedAt > limits.probeIntervalMs) void probe()
    },
    recordResponse() {
      problem = null
      checkedAt = new Date()
    },
    recordUnreachable(sentence) {
      problem = sentence
      checkedAt = new Date()
      probedAt = performance.now()
    },
    checkedAt: () => checkedAt,
  }
}

const ANTHROPIC = 'api.anthropic.com'

/** Anthropic's list of models doesn't accept the key as the OpenAI protocol sends it. */
const anthropicHeaders = (apiKey: string) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' })

/** Just below Node's own five-minute limit for response headers. */
export const MAX_CALL_MS = 280_000
