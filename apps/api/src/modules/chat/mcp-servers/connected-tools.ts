import { createHash } from 'node:crypto'
import { MAX_OFFERED_MCP_TOOLS, type McpToolRule } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError, BadRequestError, NotFoundError, UnavailableError } from '../../../errors.ts'
import { parseArguments } from '../agents/tool-arguments.ts'
import type { McpClient, McpConnection } from './mcp-client.ts'
import type { McpServerRow, McpServersStore, StoredTool } from './mcp-servers.store.ts'

/** A tool of a connected server, for language models. */
interface ConnectedTool {
  /** Displayed and recorded name: server and tool. */
  name: string
  tool: { name: string; description: string; parameters: Record<string, unknown> }
  /** True to ask the user before each call. */
  asksFirst: boolean
  /** True when its server declares it read-only. */
  isReadOnly: boolean
  /**
   * Calls the tool with the model's JSON. A model can act on the messages of its errors.
   * @throws BadRequestError for unreadable arguments, NotFoundError when the user may no longer use it, UnavailableError when its
   *   server or the tool fails, even though it may have done something
   */
  run(
    argumentsText: string,
    caller: { userId: string; signal?: AbortSignal | undefined },
  ): Promise<{ output: string; summary: string; data: Record<string, never>; quotesOthers: true }>
}

/** Limit of tool names in model APIs. */
const MAX_MODEL_NAME_CHARACTERS = 64
const MAX_SUMMARY_CHARACTERS = 300

/** Rule for a tool: the administrator's if there is one, otherwise `allow` for a read-only tool and `ask` for any other. */
export function ruleOf(
  { rules }: Pick<McpServerRow, 'rules'>,
  tool: Pick<StoredTool, 'name' | 'isReadOnly'>,
): McpToolRule {
  if (Object.hasOwn(rules, tool.name)) return rules[tool.name] ?? 'ask'
  return tool.isReadOnly ? 'allow' : 'ask'
}

/** Tools of connected MCP servers that a user may use. */
export function createConnectedTools(deps: {
  /** Servers as last read. */
  rows(): McpServerRow[]
  /** Role at the time of the last read; it's checked again at each call. */
  isAdmin(userId: string): boolean
  findUser: McpServersStore['findUser']
  /** Client of a server; users' own servers have stricter address checks. */
  clientOf(row: McpServerRow): Pick<McpClient, 'callTool'>
  connectionOf(row: McpServerRow): McpConnection
  /** Requests a server's tools again, in the background. */
  refresh(row: McpServerRow): void
}) {
  const { rows, isAdmin, findUser, clientOf, connectionOf, refresh } = deps

  const toConnectedTool = (row: McpServerRow, tool: StoredTool): ConnectedTool => ({
    // The suffix distinguishes a user's own server from an administrator's.
    name: `${row.name}${row.userId === null ? '' : ' (own)'}: ${tool.name}`,
    tool: { name: modelNameOf(row, tool), description: tool.description || tool.title, parameters: tool.parameters },
    asksFirst: ruleOf(row, tool) === 'ask',
    isReadOnly: tool.isReadOnly,
    async run(argumentsText, { userId, signal }) {
      const user = await findUser(userId)
      if (user === null || !isAvailableTo(row, userId, user.isAdmin))
        throw new NotFoundError('This tool no longer exists.')
      const { text, isError, haveToolsChanged } = await clientOf(row)
        .callTool(connectionOf(row), tool.name, readArguments(argumentsText), signal)
        .catch((error: unknown) => {
          // The server may no longer have the tool.
          if (error instanceof AppError && error.code === 'mcp_broken') refresh(row)
          throw error
        })
      if (haveToolsChanged) refresh(row)
      if (isError) throw new UnavailableError(text || 'The tool failed.', { code: 'mcp_tool_failed' })
      const summary = cutText(text.replace(/\s+/g, ' ').trim(), MAX_SUMMARY_CHARACTERS)
      return { output: text, summary: summary || '–', data: {}, quotesOthers: true }
    },
  })

  const availableTools = (row: McpServerRow) =>
    row.isEnabled ? row.tools.filter((tool) => ruleOf(row, tool) !== 'off') : []
  const callableTools = (row: McpServerRow) => availableTools(row).filter(({ isTooLarge }) => isTooLarge !== true)

  return {
    toolsFor(userId: string): ConnectedTool[] {
      const usableRows = rows().filter((row) => isAvailableTo(row, userId, isAdmin(userId)))
      const shares = shareTools(usableRows.map(callableTools))
      return usableRows.flatMap((row, index) => (shares[index] ?? []).map((tool) => toConnectedTool(row, tool)))
    },

    /**
     * Number of a server's available tools that aren't offered to models: to its owner, or for a server of administrators to
     * someone who may use all of these.
     */
    countLeftOut(row: McpServerRow): number {
      const { id, userId } = row
      const isBeside = (other: McpServerRow) =>
        userId === null ? other.userId === null : isAvailableTo(other, userId, isAdmin(userId))
      // The row may be newer than those of the last read.
      const readRows = rows()
      const index = readRows.findIndex((other) => other.id === id)
      const olderRows = (index === -1 ? readRows : readRows.slice(0, index)).filter(isBeside)
      const newerRows = index === -1 ? [] : readRows.slice(index + 1).filter(isBeside)
      const shares = shareTools([...olderRows, row, ...newerRows].map(callableTools))
      return availableTools(row).length - (shares[olderRows.length]?.length ?? 0)
    },

    /** Tool by its name for models; permissions are checked when it runs. */
    find(modelName: string): ConnectedTool | null {
      for (const row of rows()) {
        const tool = callableTools(row).find((one) => modelNameOf(row, one) === modelName)
        if (tool !== undefined) return toConnectedTool(row, tool)
      }
      return null
    },
  }
}

/** Tools to offer per server, up to the limit. The servers take turns, so that one with many tools leaves some to the others. */
function shareTools(toolsOfServers: StoredTool[][]): StoredTool[][] {
  const shares = toolsOfServers.map((): StoredTool[] => [])
  let remaining = MAX_OFFERED_MCP_TOOLS
  const longest = Math.max(0, ...toolsOfServers.map(({ length }) => length))
  for (let index = 0; index < longest && remaining > 0; index++) {
    for (const [server, tools] of toolsOfServers.entries()) {
      const tool = tools[index]
      if (tool === undefined || remaining === 0) continue
      shares[server]?.push(tool)
      remaining--
    }
  }
  return shares
}

function isAvailableTo({ audience, userIds }: McpServerRow, userId: string, isAdmin: boolean): boolean {
  if (audience === 'everyone') return true
  return audience === 'admins' ? isAdmin : userIds.includes(userId)
}

/** Unique name that models accept, ending in a hash of the server and the tool. */
function modelNameOf({ id, name }: McpServerRow, tool: StoredTool): string {
  const plain = (text: string) => text.replace(/[^\w-]+/g, '_').replace(/^_+|_+$/g, '')
  const suffix = createHash('sha256').update(`${id} ${tool.name}`).digest('hex').slice(0, 6)
  const readable = `${plain(name).slice(0, 20)}_${plain(tool.name)}`
  return `${readable.slice(0, MAX_MODEL_NAME_CHARACTERS - suffix.length - 1)}_${suffix}`
}

/** @throws BadRequestError */
function readArguments(text: string): Record<string, unknown> {
  const value = text.trim() === '' ? {} : parseArguments(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new BadRequestError('The arguments must be a JSON object.')
}
