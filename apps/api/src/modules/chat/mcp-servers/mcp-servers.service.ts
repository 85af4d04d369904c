import type { McpServer, McpServersResponse, NewMcpServer, OwnMcpServersResponse, UpdateMcpServer } from '@mira/shared'
import { MAX_MCP_SERVERS, MAX_OWN_MCP_SERVERS } from '@mira/shared'
import { AppError, ConflictError, ForbiddenError, NotFoundError, sentenceOf, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { leadsToMetadata } from '../../../platform/net/guarded-fetch.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { asReason, say } from '../../../sentences.ts'
import { MCP_SERVERS_CHANNEL } from '../../identity/index.ts'
import { createConnectedTools, ruleOf } from './connected-tools.ts'
import type { McpClient, McpConnection } from './mcp-client.ts'
import type { McpServerRow, McpServersStore, McpServerValues, StoredTool } from './mcp-servers.store.ts'

interface McpServersDeps {
  store: McpServersStore
  client: McpClient
  /** Client for users' own servers, limited to public and explicitly allowed addresses. */
  ownClient: McpClient
  settings: SettingsReader
  /** True when a URL is acceptable for a user's own server, judging by its text: public or explicitly allowed. */
  isAllowedAddress(url: string): boolean
  seal: Seal
  /** True when stdio servers may be started on this machine. */
  allowsStdio: boolean
  database: Pick<Database, 'listen' | 'notify'>
  /** Interval for reading MCP servers and administrators again, in case a notification of a change was missed. */
  pollMs: number
  log: Log
}

export type McpServersService = ReturnType<typeof createMcpServersService>

/**
 * Rejects unless the user has just confirmed their identity. A program is a stdio server: a command that runs with Mira's
 * rights.
 */
type ConfirmProgram = () => Promise<void>
type NewMcpServerFields = Omit<NewMcpServer, 'current_password'>
type McpServerChanges = Omit<UpdateMcpServer, 'current_password'>

/** User id of a user's own server; null for servers of administrators. */
type Owner = string | null

const noServer = () => new NotFoundError('This MCP server no longer exists.')

/** Manages the MCP servers whose tools the assistant may call, in sync with Mira's other servers. */
export function createMcpServersService(deps: McpServersDeps) {
  const { store, client, ownClient, settings, seal, allowsStdio, database, pollMs, log } = deps
  let rows: McpServerRow[] = []
  let adminIds = new Set<string>()
  let stopListening = () => {}
  let timer: NodeJS.Timeout | undefined
  let reading = Promise.resolve()

  const clientOf = ({ userId }: McpServerRow) => (userId === null ? client : ownClient)

  /** Decrypts a stored secret; null when there is none, or it was sealed with another key and is lost. */
  const unseal = (row: McpServerRow, sealed: string | null): string | null => {
    if (sealed === null) return null
    const text = seal.decrypt(sealed)
    if (text === null) log.warn({ mcpServer: row.id }, 'could not unseal a key: JWT_SECRET has changed')
    return text
  }

  const headersOf = (row: McpServerRow) => JSON.parse(unseal(row, row.sealedHeaders) ?? '{}') as Record<string, string>

  /** @throws ForbiddenError for a program when stdio servers are off */
  const connectionOf = (row: McpServerRow): McpConnection => {
    const { name, url, command } = row
    const key = unseal(row, row.sealedKey)
    const headers = headersOf(row)
    if (url !== null) {
      const requestHeaders = key === null ? headers : { authorization: `Bearer ${key}`, ...headers }
      return { name, transport: 'http', url, headers: requestHeaders }
    }
    if (!allowsStdio || command === null) throw stdioOff(name)
    return { name, transport: 'stdio', command, arguments: row.arguments, environment: headers }
  }

  const present = (row: McpServerRow): McpServer => ({
    id: row.id,
    name: row.name,
    transport: row.url === null ? 'stdio' : 'http',
    url: row.url,
    command: row.command,
    arguments: row.arguments,
    has_key: row.sealedKey !== null,
    header_names: Object.keys(headersOf(row)),
    enabled: row.isEnabled,
    audience: row.audience,
    user_ids: row.userIds,
    check: checkOf(row),
    checked_at: row.checkedAt,
    tools: row.tools.map((tool) => {
      const { name, title, description, isReadOnly } = tool
      return { name, title, description, read_only: isReadOnly, rule: ruleOf(row, tool) }
    }),
    tools_left_out: connected.countLeftOut(row),
  })

  /** Reads servers and administrators, one reading at a time, so that an older result never overwrites a newer one. */
  const reload = () => {
    const next = reading.then(async () => {
      ;[rows, adminIds] = [await store.list(), await store.listAdminIds()]
    })
    reading = next.catch(() => {})
    return next
  }
  const reloadInBackground = () => {
    reload().catch((error: unknown) => log.warn({ err: error }, 'could not read the MCP servers'))
  }
  const publishChange = async () => {
    await reload()
    database.notify(MCP_SERVERS_CHANNEL, '').catch((error: unknown) => {
      log.warn({ err: error }, 'could not notify other servers of changed MCP servers')
    })
  }

  const listOf = async (owner: Owner) => (await store.list()).filter(({ userId }) => userId === owner)

  /** @throws ForbiddenError */
  const requireOwnServersAllowed = (owner: Owner) => {
    if (owner === null || settings.current().allows_own_mcp_servers) return
    throw new ForbiddenError('An administrator has to allow users’ own MCP servers first.', {
      code: 'own_mcp_servers_off',
    })
  }

  const requireRow = async (owner: Owner, id: string): Promise<McpServerRow> => {
    const row = await store.find(owner, id)
    if (row === null) throw noServer()
    return row
  }

  /** @throws ValidationError */
  const requireAllowedAddress = async (owner: Owner, url: string) => {
    if (owner !== null && !deps.isAllowedAddress(url)) {
      throw new ValidationError('Your own MCP servers must be on the public internet.', {
        code: 'address_forbidden',
        errors: [{ path: 'url', message: 'must be on the public internet' }],
      })
    }
    if (!(await leadsToMetadata(url))) return
    const message = 'must not be a cloud metadata service'
    throw new ValidationError('An MCP server can’t be a cloud metadata service.', {
      code: 'address_forbidden',
      errors: [{ path: 'url', message }],
    })
  }

  /** Lists a server's tools and stores the result. */
  const check = async (row: McpServerRow): Promise<McpServer> => {
    const checkedAt = new Date()
    try {
      await store.update(row.userId, row.id, {
        tools: await clientOf(row).listTools(connectionOf(row)),
        problem: null,
        checkedAt,
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug({ err: error, mcpServer: row.id }, 'could not list the tools of an MCP server')
      await store.update(row.userId, row.id, { problem: sentenceOf(error), checkedAt })
    }
    await publishChange()
    return present(await requireRow(row.userId, row.id))
  }

  /** Stores a server's current tools. As nobody has reviewed them, only previously read-only ones count as read-only. */
  const refresh = (row: McpServerRow): void => {
    const updateTools = async () => {
      const wasReadOnly = ({ name }: StoredTool) => row.tools.some((tool) => tool.name === name && tool.isReadOnly)
      const tools = (await clientOf(row).listTools(connectionOf(row))).map((tool) => ({
        ...tool,
        isReadOnly: tool.isReadOnly && wasReadOnly(tool),
      }))
      await store.update(row.userId, row.id, { tools, problem: null, checkedAt: new Date() })
      await publishChange()
    }
    updateTools().catch((error: unknown) => {
      log.info({ err: error, mcpServer: row.id }, 'could not list the changed tools of an MCP server')
    })
  }

  const sealKey = (key: string | null | undefined) => (key ? seal.encrypt(key) : null)
  const sealHeaders = (headers: Record<string, string> | null | undefined) =>
    headers && Object.keys(headers).length > 0 ? seal.encrypt(JSON.stringify(headers)) : null

  const connected = createConnectedTools({
    rows: () => rows.filter(({ userId }) => userId === null || settings.current().allows_own_mcp_servers),
    isAdmin: (userId) => adminIds.has(userId),
    findUser: store.findUser,
    clientOf,
    connectionOf,
    refresh,
  })

  return {
    /** Loads the stored MCP servers, and reloads them when another server of Mira changes them. */
    async open(): Promise<void> {
      await reload()
      stopListening = database.listen(MCP_SERVERS_CHANNEL, reloadInBackground, reloadInBackground)
      timer = setInterval(reloadInBackground, pollMs).unref()
    },

    close(): void {
      clearInterval(timer)
      stopListening()
    },

    /** The servers' tools, for the chat. */
    connected,

    /** Servers of administrators, oldest first. */
    async list(): Promise<McpServersResponse> {
      return { stdio_allowed: allowsStdio, servers: (await listOf(null)).map(present) }
    },

    /** Servers that a user connected for themselves. */
    async listOwn(userId: string): Promise<OwnMcpServersResponse> {
      return { allowed: settings.current().allows_own_mcp_servers, servers: (await listOf(userId)).map(present) }
    },

    /**
     * Stores a server and lists its tools; an error while listing them is stored as the result of the server's check.
     * @param owner the only user who may use the server, whose address must then be public; null for a server of administrators
     * @param confirmProgram rejects unless the user who adds or changes a program has just confirmed their identity
     * @throws ValidationError for a forbidden address, ForbiddenError when stdio servers or users' own servers are off,
     *   ConflictError when there are too many
     */
    async add(owner: Owner, fields: NewMcpServerFields, confirmProgram: ConfirmProgram): Promise<McpServer> {
      const { name, url, command, api_key, headers, enabled, audience, user_ids, tool_rules } = fields
      requireOwnServersAllowed(owner)
      if (url !== undefined) await requireAllowedAddress(owner, url)
      // Users' own servers are never programs; their schema has no command either.
      else if (owner !== null || !allowsStdio) throw stdioOff(name)
      if (command !== undefined) await confirmProgram()
      const max = owner === null ? MAX_MCP_SERVERS : MAX_OWN_MCP_SERVERS
      if ((await listOf(owner)).length >= max) {
        throw new ConflictError(`You can connect at most ${max} MCP servers.`, {
          code: 'too_many_connections',
        })
      }
      const row = await store.add({
        userId: owner,
        name,
        url: url ?? null,
        command: command ?? null,
        arguments: fields.arguments,
        sealedKey: sealKey(api_key),
        sealedHeaders: sealHeaders(headers),
        isEnabled: enabled,
        rules: tool_rules,
        ...(owner === null ? { audience, userIds: user_ids } : { audience: 'chosen' as const, userIds: [owner] }),
      })
      return check(row)
    },

    /** @throws NotFoundError, and ValidationError and ForbiddenError as `add` does */
    async update(
      owner: Owner,
      id: string,
      changes: McpServerChanges,
      confirmProgram: ConfirmProgram,
    ): Promise<McpServer> {
      const row = await requireRow(owner, id)
      requireOwnServersAllowed(owner)
      const { name, url, command, api_key, headers, enabled, audience, user_ids, tool_rules } = changes
      if ((url !== undefined && row.url === null) || (command !== undefined && row.command === null)) {
        throw new ValidationError(
          'An HTTP server can’t become a program, nor the reverse. Connect another server instead.',
          {
            code: 'mcp_kind_fixed',
          },
        )
      }
      if (url !== undefined && url !== row.url) await requireAllowedAddress(owner, url)
      const isProgramChanged = command !== undefined || changes.arguments !== undefined
      if (isProgramChanged && !allowsStdio) throw stdioOff(row.name)
      // Environment variables also affect what a program does.
      if (isProgramChanged || (row.url === null && headers !== undefined)) await confirmProgram()
      // Someone who may change the address mustn't obtain the key by entering that of their own server.
      const isMoved =
        (url !== undefined && new URL(url).origin !== new URL(row.url ?? url).origin) ||
        (command !== undefined && command !== row.command)
      const values: Partial<McpServerValues> = {
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { url }),
        ...(command === undefined ? {} : { command }),
        ...(changes.arguments === undefined ? {} : { arguments: changes.arguments }),
        ...(enabled === undefined ? {} : { isEnabled: enabled }),
        ...(audience === undefined ? {} : { audience }),
        ...(user_ids === undefined ? {} : { userIds: user_ids }),
        ...(tool_rules === undefined ? {} : { rules: { ...row.rules, ...tool_rules } }),
        ...(api_key === undefined && !isMoved ? {} : { sealedKey: sealKey(api_key) }),
        ...(headers === undefined && !isMoved ? {} : { sealedHeaders: sealHeaders(headers) }),
      }
      if (!(await store.update(owner, id, values))) throw noServer()
      const isConnectionChanged = [url, command, changes.arguments, api_key, headers].some(
        (value) => value !== undefined,
      )
      if (isConnectionChanged || enabled === true) return check(await requireRow(owner, id))
      await publishChange()
      return present(await requireRow(owner, id))
    },

    /** @throws NotFoundError */
    async remove(owner: Owner, id: string): Promise<void> {
      if (!(await store.remove(owner, id))) throw noServer()
      await publishChange()
    },

    /** Lists a server's tools now, even a disabled one's. @throws NotFoundError, ForbiddenError when users' own servers are off */
    async test(owner: Owner, id: string): Promise<McpServer> {
      const row = await requireRow(owner, id)
      requireOwnServersAllowed(owner)
      return check(row)
    },
  }
}

function checkOf({ isEnabled, problem, checkedAt }: McpServerRow): McpServer['check'] {
  if (problem !== null) return { state: 'error', ...asReason(problem) }
  return { state: isEnabled && checkedAt !== null ? 'ok' : 'off' }
}

function stdioOff(name: string): ForbiddenError {
  return new ForbiddenError(say('mcp_stdio_off', { name }), { code: 'mcp_stdio_off' })
}
