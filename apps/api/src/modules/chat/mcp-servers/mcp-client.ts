import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { z } from 'zod'
import { AppError, UnavailableError } from '../../../errors.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { boundedFetch } from '../../../platform/net/bounded-fetch.ts'
import { say } from '../../../sentences.ts'

/** Connection settings of an MCP server, with its headers or environment. */
export type McpPlace = { name: string } & (
  | { transport: 'http'; url: string; headers: Record<string, string> }
  | { transport: 'stdio'; command: string; arguments: string[]; environment: Record<string, string> }
)

/** A tool as its server describes it, bounded. */
interface McpTool {
  name: string
  title: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** True when the server declares that the tool changes nothing. */
  isReadOnly: boolean
}

/** Result of a tool call. */
interface McpResult {
  text: string
  isError: boolean
  /** True when the server said meanwhile that it has other tools now. */
  hasOtherTools: boolean
}

/** Client of external MCP servers. Each call opens its own connection, so no state is kept. */
export interface McpClient {
  /** @throws UnavailableError with the reason as its sentence. */
  listTools(place: McpPlace, signal?: AbortSignal): Promise<McpTool[]>
  /** Throws as `listTools` does. */
  callTool(place: McpPlace, name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<McpResult>
}

export interface McpLimits {
  listMs: number
  callMs: number
  maxTools: number
  schemaCharacters: number
  textCharacters: number
  responseBytes: number
}

const defaults: McpLimits = {
  listMs: 15_000,
  callMs: 60_000,
  maxTools: 60,
  schemaCharacters: 20_000,
  textCharacters: 20_000,
  responseBytes: 4 * 1024 * 1024,
}
const MAX_PAGES = 20
const DESCRIPTION_MAX_CHARACTERS = 2_000
const NAME_MAX_CHARACTERS = 128
const SAID_MAX_CHARACTERS = 300
/** Failed attempts in a row to read on where a server ended a stream before its result, as it may. */
const MAX_FAILED_RECONNECTIONS = 3
/** Shortest wait before reading on, longer by as much each time: servers may ask for none, and end each stream at once. */
const RECONNECTION_STEP_MS = 500
const MAX_RECONNECTION_WAIT_MS = 10_000
/** Longest wait for a server to acknowledge the end of a connection. */
const CLOSE_MS = 2_000

const toolPageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })
/** A tool as far as it's read: one of another form is left out alone. */
const toolSchema = z.looseObject({
  name: z.string().min(1).max(NAME_MAX_CHARACTERS),
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  inputSchema: z.record(z.string(), z.unknown()).nullish().catch(null),
  annotations: z
    .looseObject({ title: z.string().nullish(), readOnlyHint: z.boolean().nullish() })
    .nullish()
    .catch(null),
})

/** Makes the client of MCP servers that administrators connect. */
export function createMcpClient(deps: {
  fetch: typeof fetch
  version: string
  limits?: Partial<McpLimits> | undefined
}): McpClient {
  const limits = { ...defaults, ...deps.limits }

  const transportOf = (place: McpPlace, signal: AbortSignal, isOlder: boolean) => {
    if (place.transport === 'stdio') {
      const { command, arguments: args, environment } = place
      return new StdioClientTransport({
        command,
        args,
        env: environment,
        stderr: 'ignore',
        maxBufferSize: limits.responseBytes,
      })
    }
    const bounded = boundedFetch(deps.fetch, { maxBytes: limits.responseBytes, signal })
    const shared = { fetch: bounded, requestInit: { headers: place.headers } }
    if (isOlder) return new SSEClientTransport(new URL(place.url), shared)
    let leastWaitMs = 0
    return new StreamableHTTPClientTransport(new URL(place.url), {
      ...shared,
      reconnectionOptions: {
        initialReconnectionDelay: RECONNECTION_STEP_MS,
        maxReconnectionDelay: RECONNECTION_STEP_MS,
        reconnectionDelayGrowFactor: 1,
        maxRetries: MAX_FAILED_RECONNECTIONS,
      },
      reconnectionScheduler: (reconnect, delayMs) => {
        leastWaitMs += RECONNECTION_STEP_MS
        const waitMs = Math.min(Math.max(delayMs, leastWaitMs), MAX_RECONNECTION_WAIT_MS)
        const timer = setTimeout(reconnect, waitMs).unref()
        return () => clearTimeout(timer)
      },
    })
  }

  /** A connected client; it uses HTTP with SSE where a server knows nothing newer, as the protocol describes. */
  const connect = async (place: McpPlace, options: { signal: AbortSignal; timeout: number }): Promise<Client> => {
    const attempt = async (isOlder: boolean) => {
      const client = new Client(
        { name: 'mira', version: deps.version },
        isOlder ? { capabilities: {} } : { versionNegotiation: { mode: 'auto' }, capabilities: {} },
      )
      try {
        await client.connect(transportOf(place, options.signal, isOlder), options)
        return client
      } catch (error) {
        await leave(client)
        throw error
      }
    }
    try {
      return await attempt(false)
    } catch (error) {
      if (place.transport !== 'http' || !mayBeOlder(error)) throw error
      return await attempt(true).catch((later: unknown) => {
        if (options.signal.aborted) throw later
        throw new Error('there is neither Streamable HTTP nor HTTP with SSE at this address', { cause: error })
      })
    }
  }

  /** Connects, does something and leaves, all of it within a time. */
  const during = async <Result>(
    place: McpPlace,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
    act: (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  ): Promise<Result> => {
    const timer = AbortSignal.timeout(timeoutMs)
    const stop = signal === undefined ? timer : AbortSignal.any([signal, timer])
    const options = { signal: stop, timeout: timeoutMs }
    const connections: Promise<Client>[] = []
    const attempt = async () => {
      const connecting = connect(place, options)
      connections.push(connecting)
      return act(await connecting, options)
    }
    try {
      // a server that has restarted, or another one of several, knows nothing of the session that was begun
      const working = attempt().catch((error: unknown) => {
        if (!isSessionOver(error)) throw error
        return attempt()
      })
      return await unlessAborted(working, stop)
    } catch (error) {
      if (signal?.aborted) throw error
      throw inWords(error, place.name, timer.aborted)
    } finally {
      // a client that connects later is closed then
      const leaving = Promise.all(connections.map((connecting) => connecting.then(leave, () => {})))
      await Promise.race([leaving, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    }
  }

  const listAll = async (client: Client, options: { signal: AbortSignal; timeout: number }) => {
    const tools: unknown[] = []
    let cursor: string | null | undefined
    for (let page = 0; page < MAX_PAGES && (page === 0 || cursor); page++) {
      const params = cursor ? { cursor } : {}
      const answer = await client.request({ method: 'tools/list', params }, toolPageSchema, options)
      tools.push(...answer.tools)
      cursor = answer.nextCursor
    }
    return tools
  }

  return {
    listTools: (place, signal) =>
      during(place, { timeoutMs: limits.listMs, signal }, async (client, options) => {
        const names = new Set<string>()
        return (await listAll(client, options))
          .flatMap((tool) => toolSchema.safeParse(tool).data ?? [])
          .filter(({ name, inputSchema }) => {
            const isShort = JSON.stringify(inputSchema ?? {}).length <= limits.schemaCharacters
            return isShort && !names.has(name) && names.add(name)
          })
          .slice(0, limits.maxTools)
          .map(({ name, title, description, inputSchema, annotations }) => ({
            name,
            title: (title ?? annotations?.title ?? name).slice(0, NAME_MAX_CHARACTERS),
            description: (description ?? '').slice(0, DESCRIPTION_MAX_CHARACTERS),
            parameters: inputSchema ?? { type: 'object', properties: {} },
            isReadOnly: annotations?.readOnlyHint === true,
          }))
      }),

    callTool: (place, name, args, signal) =>
      during(place, { timeoutMs: limits.callMs, signal }, async (client, options) => {
        let hasOtherTools = false
        client.setNotificationHandler('notifications/tools/list_changed', () => {
          hasOtherTools = true
        })
        const { content, structuredContent, isError } = await client.callTool({ name, arguments: args }, options)
        const texts = content.map(textOf).filter((text) => text !== '')
        if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent))
        const text = texts.join('\n\n').slice(0, limits.textCharacters).toWellFormed()
        return { text, isError: isError === true, hasOtherTools }
      }),
  }
}

const leave = (client: Client): Promise<void> => client.close().catch(() => {})

/** True where a server doesn't know the session any more: it was begun a moment ago, so the request wasn't read. */
const isSessionOver = (error: unknown): boolean => error instanceof SdkHttpError && error.status === 404

/** True where a server doesn't know what it was sent, as those do that speak the older HTTP with SSE. */
function mayBeOlder(error: unknown): boolean {
  for (let index = error, depth = 0; index instanceof Error && depth < 6; index = index.cause, depth++) {
    if (index instanceof SdkHttpError && [400, 404, 405, 406, 415, 422, 501].includes(index.status)) return true
  }
  return false
}

/** Part of a result as text for a model. */
function textOf(part: { type: string } & Record<string, unknown>): string {
  if (part.type === 'text') return String(part.text)
  if (part.type === 'resource_link') return `${String(part.name)}: ${String(part.uri)}`
  const resource = part.resource as { text?: unknown; uri?: unknown } | undefined
  if (part.type === 'resource') return typeof resource?.text === 'string' ? resource.text : String(resource?.uri)
  return `(${part.type})`
}

/** Converts an error to an AppError whose message contains no secrets. */
function inWords(error: unknown, name: string, isOver: boolean): AppError {
  if (error instanceof AppError) return error
  if (isOver || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)) {
    return new UnavailableError(say('mcp_timeout', { name }), { code: 'mcp_timeout', cause: error })
  }
  const cause = causeOf(error)
  if (cause !== null) {
    return new UnavailableError(say('mcp_unreachable', { name, cause }), { code: 'mcp_unreachable', cause: error })
  }
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, SAID_MAX_CHARACTERS).toWellFormed()
  const code = error instanceof ProtocolError ? 'mcp_refused' : 'mcp_broken'
  return new UnavailableError(say(code, { name, said: reason }), { code: 'mcp_broken', cause: error })
}

/** Error code of a failed connection, somewhere among the causes of an error. */
function causeOf(error: unknown): string | null {
  for (let index = error, depth = 0; index instanceof Error && depth < 6; index = index.cause, depth++) {
    const { code } = index as { code?: unknown }
    if (typeof code === 'string' && /^(E[A-Z]{3,}|UND_ERR_\w+|ERR_ADDRESS_FORBIDDEN|CERT_\w+)/.test(code)) return code
  }
  return null
}
