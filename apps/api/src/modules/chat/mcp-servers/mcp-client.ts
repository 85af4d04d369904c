import { isDeepStrictEqual } from 'node:util'
import { MAX_MCP_TOOLS } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
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
export type McpConnection = { name: string } & (
  | { transport: 'http'; url: string; headers: Record<string, string> }
  | { transport: 'stdio'; command: string; arguments: string[]; environment: Record<string, string> }
)

/** A tool as described by its server, with limited sizes. */
interface McpTool {
  name: string
  title: string
  description: string
  /** JSON Schema of its arguments, an object. */
  parameters: Record<string, unknown>
  /** True when the server declares that the tool changes nothing. */
  isReadOnly: boolean
  /** True when the schema of its arguments is too large for models, and omitted here. */
  isTooLarge: boolean
}

/** Result of a tool call. */
interface McpResult {
  text: string
  isError: boolean
  /** True when the server announced a change of its tools during the call. */
  haveToolsChanged: boolean
}

/** Client of external MCP servers. Each call opens its own connection, so no state is kept. */
export interface McpClient {
  /** @throws UnavailableError with the reason as its message */
  listTools(connection: McpConnection, signal?: AbortSignal): Promise<McpTool[]>
  /** Throws the same errors as `listTools`. */
  callTool(
    connection: McpConnection,
    name: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<McpResult>
}

export interface McpLimits {
  listMs: number
  callMs: number
  maxTools: number
  schemaCharacters: number
  /** Limit for all schemas of a server together. */
  allSchemasCharacters: number
  textCharacters: number
  responseBytes: number
}

const defaults: McpLimits = {
  listMs: 15_000,
  callMs: 60_000,
  maxTools: MAX_MCP_TOOLS,
  schemaCharacters: 20_000,
  allSchemasCharacters: 1_200_000,
  textCharacters: 20_000,
  responseBytes: 4 * 1024 * 1024,
}
const MAX_PAGES = 20
const MAX_CAUSES = 6
const MAX_DESCRIPTION_CHARACTERS = 2_000
const MAX_NAME_CHARACTERS = 128
const MAX_REASON_CHARACTERS = 300
/** Maximum consecutive failed attempts to resume a stream; servers are allowed to end a stream before its result. */
const MAX_FAILED_RECONNECTIONS = 3
/** Growth of the minimum delay with each resumption, since a server may request no delay and end each stream immediately. */
const RECONNECTION_STEP_MS = 500
const MAX_RECONNECTION_DELAY_MS = 10_000
/** Maximum wait for a server to acknowledge the end of a connection. */
const CLOSE_MS = 2_000

const toolPageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })
/** Used fields of a tool. Tools are parsed one by one, so that an invalid one doesn't discard the others. */
const toolSchema = z.looseObject({
  name: z.string().min(1).max(MAX_NAME_CHARACTERS),
  title: z.string().nullish().catch(null),
  description: z.string().nullish().catch(null),
  inputSchema: z.record(z.string(), z.unknown()).nullish().catch(null),
  annotations: z
    .looseObject({ title: z.string().nullish(), readOnlyHint: z.boolean().nullish() })
    .nullish()
    .catch(null),
})

export function createMcpClient(deps: {
  fetch: typeof fetch
  version: string
  limits?: Partial<McpLimits> | undefined
}): McpClient {
  const limits = { ...defaults, ...deps.limits }

  const transportOf = (connection: McpConnection, signal: AbortSignal, usesSse: boolean) => {
    if (connection.transport === 'stdio') {
      const { command, arguments: args, environment } = connection
      return new StdioClientTransport({
        command,
        args,
        env: environment,
        stderr: 'ignore',
        maxBufferSize: limits.responseBytes,
      })
    }
    const bounded = boundedFetch(deps.fetch, { maxBytes: limits.responseBytes, signal })
    const shared = { fetch: bounded, requestInit: { headers: connection.headers } }
    if (usesSse) return new SSEClientTransport(new URL(connection.url), shared)
    let minDelayMs = 0
    return new StreamableHTTPClientTransport(new URL(connection.url), {
      ...shared,
      reconnectionOptions: {
        initialReconnectionDelay: RECONNECTION_STEP_MS,
        maxReconnectionDelay: RECONNECTION_STEP_MS,
        reconnectionDelayGrowFactor: 1,
        maxRetries: MAX_FAILED_RECONNECTIONS,
      },
      reconnectionScheduler: (reconnect, delayMs) => {
        minDelayMs += RECONNECTION_STEP_MS
        const waitMs = Math.min(Math.max(delayMs, minDelayMs), MAX_RECONNECTION_DELAY_MS)
        const timer = setTimeout(reconnect, waitMs).unref()
        return () => clearTimeout(timer)
      },
    })
  }

  /** Connects a client; falls back to the older HTTP with SSE, as the protocol describes. */
  const connect = async (
    connection: McpConnection,
    options: { signal: AbortSignal; timeout: number },
  ): Promise<Client> => {
    const attempt = async (usesSse: boolean) => {
      const client = new Client(
        { name: 'mira', version: deps.version },
        usesSse ? { capabilities: {} } : { versionNegotiation: { mode: 'auto' }, capabilities: {} },
      )
      try {
        await client.connect(transportOf(connection, options.signal, usesSse), options)
        return client
      } catch (error) {
        await close(client)
        throw error
      }
    }
    try {
      return await attempt(false)
    } catch (error) {
      if (connection.transport !== 'http' || !mayNeedSse(error)) throw error
      return await attempt(true).catch((sseError: unknown) => {
        if (options.signal.aborted) throw sseError
        throw new Error('this address supports neither Streamable HTTP nor HTTP with SSE', { cause: error })
      })
    }
  }

  /** Connects a client, uses it and closes it, within a time limit. */
  const withClient = async <Result>(
    connection: McpConnection,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
    use: (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<Result>,
  ): Promise<Result> => {
    const timer = AbortSignal.timeout(timeoutMs)
    const stop = signal === undefined ? timer : AbortSignal.any([signal, timer])
    const options = { signal: stop, timeout: timeoutMs }
    const clients: Promise<Client>[] = []
    const attempt = async () => {
      const connecting = connect(connection, options)
      clients.push(connecting)
      return use(await connecting, options)
    }
    try {
      // Tried once more, since a server that has restarted, or another server behind the same address, doesn't know the session.
      const working = attempt().catch((error: unknown) => {
        if (!isSessionOver(error)) throw error
        return attempt()
      })
      return await unlessAborted(working, stop)
    } catch (error) {
      if (signal?.aborted) throw error
      throw asAppError(error, connection.name, timer.aborted)
    } finally {
      // Includes a client that's still connecting, which is closed as soon as it's connected.
      const closing = Promise.all(clients.map((connecting) => connecting.then(close, () => {})))
      await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
    }
  }

  const listAll = async (client: Client, options: { signal: AbortSignal; timeout: number }) => {
    const tools: unknown[] = []
    let cursor: string | null | undefined
    for (let page = 0; page < MAX_PAGES && (page === 0 || cursor); page++) {
      const params = cursor ? { cursor } : {}
      const response = await client.request({ method: 'tools/list', params }, toolPageSchema, options)
      tools.push(...response.tools)
      cursor = response.nextCursor
    }
    return tools
  }

  return {
    listTools: (connection, signal) =>
      withClient(connection, { timeoutMs: limits.listMs, signal }, async (client, options) => {
        const names = new Set<string>()
        let remainingCharacters = limits.allSchemasCharacters
        return (await listAll(client, options))
          .flatMap((tool) => toolSchema.safeParse(tool).data ?? [])
          .filter(({ name }) => !names.has(name) && names.add(name))
          .slice(0, limits.maxTools)
          .map(({ name, title, description, inputSchema, annotations }) => {
            const characters = JSON.stringify(inputSchema ?? {}).length
            const isTooLarge = characters > Math.min(limits.schemaCharacters, remainingCharacters)
            if (!isTooLarge) remainingCharacters -= characters
            return {
              name,
              title: cutText(title ?? annotations?.title ?? name, MAX_NAME_CHARACTERS),
              description: cutText(description ?? '', MAX_DESCRIPTION_CHARACTERS),
              parameters: (isTooLarge ? null : inputSchema) ?? { type: 'object', properties: {} },
              isReadOnly: annotations?.readOnlyHint === true,
              isTooLarge,
            }
          })
      }),

    callTool: (connection, name, args, signal) =>
      withClient(connection, { timeoutMs: limits.callMs, signal }, async (client, options) => {
        let haveToolsChanged = false
        client.setNotificationHandler('notifications/tools/list_changed', () => {
          haveToolsChanged = true
        })
        const { content, structuredContent, isError } = await client.callTool({ name, arguments: args }, options)
        const texts = content.map(textOf).filter((text) => text !== '')
        if (structuredContent !== undefined && !repeats(texts, structuredContent))
          texts.push(JSON.stringify(structuredContent))
        const text = cutText(texts.join('\n\n'), limits.textCharacters).toWellFormed()
        return { text, isError: isError === true, haveToolsChanged }
      }),
  }
}

const close = (client: Client): Promise<void> => client.close().catch(() => {})

/** True when a server doesn't know the session. As the session is brand-new, the request wasn't processed. */
const isSessionOver = (error: unknown): boolean => error instanceof SdkHttpError && error.status === 404

/** True when a server rejected the request as a server would that only supports the older HTTP with SSE. */
function mayNeedSse(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => cause instanceof SdkHttpError && [400, 404, 405, 406, 415, 422, 501].includes(cause.status),
  )
}

/** An error and its causes, up to a depth. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && causes.length < MAX_CAUSES; cause = cause.cause) causes.push(cause)
  return causes
}

/** Part of a result, as text for a model. */
function textOf(part: { type: string } & Record<string, unknown>): string {
  if (part.type === 'text') return String(part.text)
  if (part.type === 'resource_link') return `${String(part.name)}: ${String(part.uri)}`
  const resource = part.resource as { text?: unknown; uri?: unknown } | undefined
  if (part.type === 'resource') return typeof resource?.text === 'string' ? resource.text : String(resource?.uri)
  return part.type === 'image' || part.type === 'audio'
    ? `(${part.type}: it can't be shown or played here, so you don't know its content. Don't describe it.)`
    : `(${part.type})`
}

/** True when texts say the same as structured content; some servers wrap a plain result in it as `{result}`. */
function repeats(texts: string[], data: unknown): boolean {
  if (texts.some((text) => isSameData(text, data))) return true
  const { result, ...rest } = data as { result?: unknown }
  if (result === undefined || Object.keys(rest).length > 0) return false
  const isSame = (text: string, value: unknown) => text === value || isSameData(text, value)
  const isSameList =
    Array.isArray(result) && result.length === texts.length && texts.every((text, index) => isSame(text, result[index]))
  return isSameList || texts.some((text) => isSame(text, result))
}

/** True when a text is the JSON of some data, as the protocol recommends for clients that don't know structured content. */
function isSameData(text: string, data: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), data)
  } catch {
    return false
  }
}

/** Converts an error to an AppError whose message contains no secrets. */
function asAppError(error: unknown, name: string, isTimedOut: boolean): AppError {
  if (error instanceof AppError) return error
  if (isTimedOut || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)) {
    return new UnavailableError(say('mcp_timeout', { name }), { code: 'mcp_timeout', cause: error })
  }
  const cause = connectionErrorCode(error)
  if (cause !== null) {
    return new UnavailableError(say('mcp_unreachable', { name, cause }), { code: 'mcp_unreachable', cause: error })
  }
  const reason = cutText(error instanceof Error ? error.message : String(error), MAX_REASON_CHARACTERS).toWellFormed()
  const code = error instanceof ProtocolError ? 'mcp_refused' : 'mcp_broken'
  return new UnavailableError(say(code, { name, said: reason }), { code: 'mcp_broken', cause: error })
}

/** Error code of a failed connection among the causes of an error; null when there is none. */
function connectionErrorCode(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && /^(E[A-Z]{3,}|UND_ERR_\w+|ERR_ADDRESS_FORBIDDEN|CERT_\w+)/.test(code)) return code
  }
  return null
}
