import type { McpServer, McpServersResponse, NewMcpServer, OwnMcpServersResponse, UpdateMcpServer } from '@mira/shared'
import { MAX_MCP_SERVERS, MAX_OWN_MCP_SERVERS } from '@mira/shared'
import { AppError, ConflictError, ForbiddenError, NotFoundError, sentenceOf, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { leadsToMetadata } from '../../../platform/net/guarded-fetch.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { say } from '../../../sentences.ts'
import { MCP_SERVERS_CHANNEL } from '../../identity/index.ts'
import { createConnectedTools, ruleOf } from './connected-tools.ts'
import type { McpClient, McpPlace } from './mcp-client.ts'
import type { KeptTool, McpServerRow, McpServersStore, McpServerValues } from './mcp-servers.store.ts'

interface McpServersDeps {
  store: McpServersStore
  client: McpClient
  /** For servers that users connect for themselves: public and explicitly allowed addresses only. */
  ownClient: McpClient
  settings: SettingsReader
  /** True when an address is acceptable for a user's own server, judging by its text. */
  isPublic(url: string): boolean
  seal: Seal
  /** True when stdio servers may be started on this machine. */
  allowsStdio: boolean
  database: Pick<Database, 'listen' | 'notify'>
  /** Polling interval for changes elsewhere: by another server, or of administrators. */
  pollMs: number
  log: Log
}

export type McpServersService = ReturnType<typeof createMcpServersService>

type ConfirmProgram = () => Promise<void>
type NewMcpServerWish = Omit<NewMcpServer, 'current_password'>
type UpdateMcpServerWish = Omit<UpdateMcpServer, 'current_password'>

/** A user for their own, null for those of administrators. */
type Owner = string | null

const noServer = () => new NotFoundError('This MCP server is not there.')

/** Keeps the MCP servers whose tools the assistant may call, the same on every server of the instance. */
export function createMcpServersService(deps: McpServersDeps) {
  const { store, client, ownClient, settings, seal, allowsStdio, database, pollMs, log } = deps
  let rows: McpServerRow[] = []
  let adminIds = new Set<string>()
  let endListening = () => {}
  let timer: NodeJS.Timeout | undefined
  let reading = Promise.resolve()

  const clientOf = ({ userId }: McpServerRow) => (userId === null ? client : ownClient)

  /** Null where it was sealed with another secret: then it is as good as forgotten. */
  const opened = (row: McpServerRow, sealed: string | null): string | null => {
    if (sealed === null) return null
    const text = seal.open(sealed)
    if (text === null) log.warn({ mcpServer: row.id }, 'a key cannot be read: JWT_SECRET is another one than then')
    return text
  }

  const headersOf = (row: McpServerRow) => JSON.parse(opened(row, row.sealedHeaders) ?? '{}') as Record<string, string>

  /** @throws ForbiddenError for a program where none may be started. */
  const placeOf = (row: McpServerRow): McpPlace => {
    const { name, url, command } = row
    const key = opened(row, row.sealedKey)
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
  })

  /** One after another, so that an older answer never comes last. */
  const follow = () => {
    const next = reading.then(async () => {
      ;[rows, adminIds] = [await store.list(), await store.listAdminIds()]
    })
    reading = next.catch(() => {})
    return next
  }
  const followQuietly = () => {
    follow().catch((error: unknown) => log.warn({ err: error }, 'the MCP servers could not be read'))
  }
  const changed = async () => {
    await follow()
    database.notify(MCP_SERVERS_CHANNEL, '').catch((error: unknown) => {
      log.warn({ err: error }, 'other servers could not be told of the MCP servers')
    })
  }

  const listOf = async (owner: Owner) => (await store.list()).filter(({ userId }) => userId === owner)

  /** @throws ForbiddenError */
  const requireAllowed = (owner: Owner) => {
    if (owner === null || settings.current().allows_own_mcp_servers) return
    throw new ForbiddenError('An administrator has to allow MCP servers of your own first.', {
      code: 'own_mcp_servers_off',
    })
  }

  const requireRow = async (owner: Owner, id: string): Promise<McpServerRow> => {
    const row = await store.find(owner, id)
    if (row === null) throw noServer()
    return row
  }

  /** @throws ValidationError */
  const requireReachable = async (owner: Owner, url: string) => {
    if (owner !== null && !deps.isPublic(url)) {
      throw new ValidationError('Your own MCP servers must be on the public internet.', {
        code: 'address_forbidden',
        errors: [{ path: 'url', message: 'must be on the public internet' }],
      })
    }
    if (!(await leadsToMetadata(url))) return
    const message = 'must not lead to the metadata service of a cloud'
    throw new ValidationError('An MCP server is never at the metadata service of a cloud.', {
      code: 'address_forbidden',
      errors: [{ path: 'url', message }],
    })
  }

  /** Asks a server for its tools and stores the result. */
  const tried = async (row: McpServerRow): Promise<McpServer> => {
    const checkedAt = new Date()
    try {
      await store.update(row.userId, row.id, {
        tools: await clientOf(row).listTools(placeOf(row)),
        problem: null,
        checkedAt,
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug({ err: error, mcpServer: row.id }, 'an MCP server did not list its tools')
      await store.update(row.userId, row.id, { problem: sentenceOf(error), checkedAt })
    }
    await changed()
    return present(await requireRow(row.userId, row.id))
  }

  /**
   * Keeps the tools that a server has now. Nobody has looked at them: one is called without asking only if it was before.
   */
  const refresh = (row: McpServerRow): void => {
    const listAgain = async () => {
      const isTrusted = ({ name }: KeptTool) => row.tools.some((tool) => tool.name === name && tool.isReadOnly)
      const tools = (await clientOf(row).listTools(placeOf(row))).map((tool) => ({
        ...tool,
        isReadOnly: tool.isReadOnly && isTrusted(tool),
      }))
      await store.update(row.userId, row.id, { tools, problem: null, checkedAt: new Date() })
      await changed()
    }
    listAgain().catch((error: unknown) => {
      log.info({ err: error, mcpServer: row.id }, 'an MCP server that has other tools did not list them')
    })
  }

  const sealedKey = (key: string | null | undefined) => (key ? seal.close(key) : null)
  const sealedHeaders = (headers: Record<string, string> | null | undefined) =>
    headers && Object.keys(headers).length > 0 ? seal.close(JSON.stringify(headers)) : null

  const connected = createConnectedTools({
    rows: () => rows.filter(({ userId }) => userId === null || settings.current().allows_own_mcp_servers),
    isAdmin: (userId) => adminIds.has(userId),
    findUser: store.findUser,
    clientOf,
    placeOf,
    refresh,
  })

  return {
    /** Loads the stored servers and follows changes by other servers. */
    async open(): Promise<void> {
      await follow()
      endListening = database.listen(MCP_SERVERS_CHANNEL, followQuietly, followQuietly)
      timer = setInterval(followQuietly, pollMs).unref()
    },

    close(): void {
      clearInterval(timer)
      endListening()
    },

    /** Their tools, as chat calls them. */
    connected,

    /** In the order in which they were added. */
    async list(): Promise<McpServersResponse> {
      return { stdio_allowed: allowsStdio, servers: (await listOf(null)).map(present) }
    },

    /** Servers that a user connected for themselves. */
    async listOwn(userId: string): Promise<OwnMcpServersResponse> {
      return { allowed: settings.current().allows_own_mcp_servers, servers: (await listOf(userId)).map(present) }
    },

    /**
     * Stores a server and asks it for its tools; errors of that are in its check.
     * @param owner only this user may use it, and only at a public address; null for a server of administrators.
     * @param confirmProgram rejects unless a user who adds or changes a program has just shown who they are.
     * @throws ValidationError for an address that none may have, ForbiddenError for a program where none may be
     *   started and where people may connect none, ConflictError when there are too many.
     */
    async add(owner: Owner, fields: NewMcpServerWish, confirmProgram: ConfirmProgram): Promise<McpServer> {
      const { name, url, command, api_key, headers, enabled, audience, user_ids, tool_rules } = fields
      requireAllowed(owner)
      if (url !== undefined) await requireReachable(owner, url)
      else if (owner !== null || !allowsStdio) throw stdioOff(name)
      if (command !== undefined) await confirmProgram()
      const max = owner === null ? MAX_MCP_SERVERS : MAX_OWN_MCP_SERVERS
      if ((await listOf(owner)).length >= max) {
        throw new ConflictError(`There can be at most ${max} MCP servers.`, {
          code: 'too_many_connections',
        })
      }
      const row = await store.add({
        userId: owner,
        name,
        url: url ?? null,
        command: command ?? null,
        arguments: fields.arguments,
        sealedKey: sealedKey(api_key),
        sealedHeaders: sealedHeaders(headers),
        isEnabled: enabled,
        rules: tool_rules,
        ...(owner === null ? { audience, userIds: user_ids } : { audience: 'chosen' as const, userIds: [owner] }),
      })
      return tried(row)
    },

    /** @throws NotFoundError, ValidationError and ForbiddenError as above. */
    async update(
      owner: Owner,
      id: string,
      changes: UpdateMcpServerWish,
      confirmProgram: ConfirmProgram,
    ): Promise<McpServer> {
      const row = await requireRow(owner, id)
      requireAllowed(owner)
      const { name, url, command, api_key, headers, enabled, audience, user_ids, tool_rules } = changes
      if ((url !== undefined && row.url === null) || (command !== undefined && row.command === null)) {
        throw new ValidationError(
          'An HTTP server can’t become a program, nor the reverse. Connect another server instead.',
          {
            code: 'mcp_kind_fixed',
          },
        )
      }
      if (url !== undefined && url !== row.url) await requireReachable(owner, url)
      const isProgramChanged = command !== undefined || changes.arguments !== undefined
      if (isProgramChanged && !allowsStdio) throw stdioOff(row.name)
      // variables decide as well what a program does
      if (isProgramChanged || (row.url === null && headers !== undefined)) await confirmProgram()
      // somebody who may change the address must not obtain the key by pointing it at their own server
      const isElsewhere =
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
        ...(api_key === undefined && !isElsewhere ? {} : { sealedKey: sealedKey(api_key) }),
        ...(headers === undefined && !isElsewhere ? {} : { sealedHeaders: sealedHeaders(headers) }),
      }
      if (!(await store.update(owner, id, values))) throw noServer()
      const isPlaceChanged = [url, command, changes.arguments, api_key, headers].some((value) => value !== undefined)
      if (isPlaceChanged || enabled === true) return tried(await requireRow(owner, id))
      await changed()
      return present(await requireRow(owner, id))
    },

    /** @throws NotFoundError */
    async remove(owner: Owner, id: string): Promise<void> {
      if (!(await store.remove(owner, id))) throw noServer()
      await changed()
    },

    /** Asks it for its tools at once, also where it is not enabled. @throws NotFoundError, ForbiddenError where people may connect none. */
    async test(owner: Owner, id: string): Promise<McpServer> {
      const row = await requireRow(owner, id)
      requireAllowed(owner)
      return tried(row)
    },
  }
}

function checkOf({ isEnabled, problem, checkedAt }: McpServerRow): McpServer['check'] {
  if (problem !== null) return { state: 'error', reason: problem.text, told: problem.told }
  return { state: isEnabled && checkedAt !== null ? 'ok' : 'off' }
}

function stdioOff(name: string): ForbiddenError {
  return new ForbiddenError(say('mcp_stdio_off', { name }), { code: 'mcp_stdio_off' })
}
