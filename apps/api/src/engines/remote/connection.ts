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
 * The failure of a connection that has a name, or of a model that a person picked: nothing of it is mended in the
 * environment.
 */
function inWordsOfPage(failure: RemoteFailure, name: string, request: RemoteRequest): RemoteFailure {
  const sentence = sentenceOf(failure, name, request)
  return sentence === null ? failure : { ...failure, sentence: sentence.text, told: sentence.told }
}

function sentenceOf({ code, told }: RemoteFailure, name: string, { address, model }: RemoteRequest): Sentence | null {
  switch (code) {
    case 'model_unreachable': {
      const cause = String(told[0]?.params.cause ?? '')
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
  /** Ends with /v1 for most servers; OpenAI's own without it. */
  baseUrl: string | undefined
  apiKey: string | undefined
  /** Name set by an administrator; undefined for the environment's server. */
  name?: string | undefined
  /** Sent along with every request, and as secret as the key. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Replacement for the global `fetch`. */
  fetch?: typeof fetch | undefined
  log: Log
  /** Silence between the request and the first token: a comment of the server counts as a sign of life. */
  firstTokenTimeoutMs?: number
  /** Time that may pass without a token once the answer has begun. */
  idleTimeoutMs?: number
  /** Time for a call that is answered in one piece, where the call has no time of its own. */
  callTimeoutMs?: number
  /** Wait before the first retry; the second waits twice as long. */
  retryDelayMs?: number
  probeTimeoutMs?: number
  probeIntervalMs?: number
  /** Time before asking again for something that the server has said it can't do. */
  unsupportedMs?: number
}

type Limits = Required<Omit<ConnectionOptions, 'baseUrl' | 'apiKey' | 'name' | 'headers' | 'fetch' | 'log'>>

/** A server that speaks the OpenAI protocol, for all that it is asked. */
export interface Connection extends Limits {
  client(): Promise<OpenAI>
  /** Scheme, host and port: never credentials or a query. */
  address: string
  /** Its name for users. */
  name: string
  isOpenAi: boolean
  log: Log
  /** Permits for streams until their first token, in turn between users: many servers answer in the order of arrival. */
  chats: Semaphore
  /** Calls that are answered in one piece, in turn between users. */
  calls: Semaphore
  /** As listed last. */
  models(): RemoteModel[]
  /** True once it has listed its models, or said that it doesn't list any. */
  hasListed(): boolean
  /** Reason why it can't be reached, as far as known; null when it can. */
  problem(): Sentence | null
  /** Reads how a call failed, in the words of the place where an administrator can mend it. */
  readFailure(error: unknown, request: RemoteRequest, hasStarted: boolean): RemoteFailure
  /** Asks it for its models. */
  probe(): Promise<void>
  /** Does so when it was asked longer ago than that. */
  probeUnlessAsked(withinMs: number): Promise<void>
  /** Does so in the background when what is known is old. */
  refresh(): void
  /** It answered a call. */
  responded(): void
  /** A call found nobody there: so it is for all that it is asked, until it answers again. */
  unreachable(sentence: Sentence): void
  /** Time of the last response or attempt; null before the first. */
  checkedAt(): Date | null
}

/**
 * Bounds streams that have not begun: a server that does one thing at a time never has more than two of one user in its
 * own line, and one that does many begins them at once.
 */
const CHATS = { permits: 64, perUser: 2, busy: 'Too many messages wait for the model server. Try again in a moment.' }
const CALLS = { permits: 16, perUser: 4, busy: 'Too many calls wait for the model server. Try again in a moment.' }
const MAX_WAITING_PER_USER = 50
const MAX_WAITING = 500

const OPENAI_BASE_URL = 'https://api.openai.com/v1'

/** Talks to a server through the `openai` package; it is asked once for its models, and again every so often. */
export function createConnection(options: ConnectionOptions): Connection {
  const { baseUrl, apiKey, name, headers = {}, fetch: via, log, ...timeouts } = options
  const limits: Limits = {
    // a machine at home may read a long prompt for minutes
    firstTokenTimeoutMs: timeouts.firstTokenTimeoutMs ?? LONGEST_CALL_MS,
    idleTimeoutMs: timeouts.idleTimeoutMs ?? 60_000,
    callTimeoutMs: timeouts.callTimeoutMs ?? 120_000,
    retryDelayMs: timeouts.retryDelayMs ?? 500,
    probeTimeoutMs: timeouts.probeTimeoutMs ?? 5_000,
    probeIntervalMs: timeouts.probeIntervalMs ?? 30_000,
    unsupportedMs: timeouts.unsupportedMs ?? 10 * 60_000,
  }
  const baseURL = baseUrl ?? OPENAI_BASE_URL
  const place = new URL(baseURL)
  const { origin: address, hostname, host } = place
  // Azure and others want `api-version` behind each path
  const defaultQuery = Object.fromEntries(place.searchParams)
  place.search = ''
  // the package takes as long to load as a tenth of the server, which many start without a model server
  const client = loadOnce(async () => {
    const { default: Client } = await import('openai')
    return new Client({
      baseURL: place.href,
      defaultQuery,
      // The package insists on one; servers at home need none.
      apiKey: apiKey ?? 'none',
      organization: null,
      project: null,
      maxRetries: 0,
      // Every call has a shorter time of its own; this is for the headers alone.
      timeout: Math.max(LONGEST_CALL_MS, limits.firstTokenTimeoutMs),
      logLevel: 'off',
      defaultHeaders: { ...(hostname === ANTHROPIC && apiKey ? anthropicHeaders(apiKey) : {}), ...headers },
      fetch: fetchWithPlainErrors({ via, secrets: Object.values(headers) }),
    })
  })

  let models: RemoteModel[] = []
  let hasListed = false
  let problem: Sentence | null = say('server_waiting', { address })
  let probedAt = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined
  let checkedAt: Date | null = null

  const tellFailure: Connection['readFailure'] = (error, request, hasStarted) => {
    const failure = readFailure(error, request, hasStarted)
    return name === undefined && request.variable !== '' ? failure : inWordsOfPage(failure, name ?? host, request)
  }

  const probe = () => {
    probing ??= client()
      .then((loaded) => listModels(loaded, limits.probeTimeoutMs))
      .then((listed) => {
        models = listed ?? []
        hasListed = true
        problem = listed === null ? say('page_instead_of_models', { address }) : null
      })
      .catch((error: unknown) => {
        const failure = tellFailure(error, { address, model: '', variable: 'CHAT_MODEL' }, false)
        // Some servers answer but do not list; the call itself will tell.
        const isUp = error instanceof APIError && (error.status === 404 || error.status === 405)
        hasListed ||= isUp
        problem = isUp ? null : { text: failure.sentence, told: failure.told }
        log.debug({ err: error }, 'the model server could not be asked for its models')
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
    readFailure: tellFailure,
    probe,
    probeUnlessAsked: async (withinMs) => {
      if (performance.now() - probedAt > withinMs) await probe()
    },
    refresh() {
      if (performance.now() - probedAt > limits.probeIntervalMs) void probe()
    },
    responded() {
      problem = null
      checkedAt = new Date()
    },
    unreachable(sentence) {
      problem = sentence
      checkedAt = new Date()
      probedAt = performance.now()
    },
    checkedAt: () => checkedAt,
  }
}

const ANTHROPIC = 'api.anthropic.com'

/** Its list of models does not take the key as the protocol sends it. */
const anthropicHeaders = (apiKey: string) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' })

/** Node's own limit for the headers of an answer is five minutes. */
export const LONGEST_CALL_MS = 280_000
