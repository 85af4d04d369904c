import { createHash } from 'node:crypto'
import type { McpToolRule } from '@mira/shared'
import { AppError, BadRequestError, NotFoundError, UnavailableError } from '../../../errors.ts'
import { parseArguments } from '../agents/tool-arguments.ts'
import type { McpClient, McpPlace } from './mcp-client.ts'
import type { KeptTool, McpServerRow, McpServersStore } from './mcp-servers.store.ts'

/** A tool of a connected server, as a language model calls it. */
interface ConnectedTool {
  /** Displayed and recorded name: server and tool. */
  name: string
  tool: { name: string; description: string; parameters: Record<string, unknown> }
  /** Ask the user before each call. */
  asksFirst: boolean
  /** True when its server declares it read-only. */
  isReadOnly: boolean
  /**
   * Calls it with the model's JSON.
   * @throws BadRequestError for arguments that cannot be read, NotFoundError when the user may not use it any more,
   *   UnavailableError when its server or the tool fails, which may have done something; sentences that a model can act on.
   */
  run(
    argumentsText: string,
    caller: { userId: string; signal?: AbortSignal | undefined },
  ): Promise<{ output: string; summary: string; data: Record<string, never>; quotesOthers: true }>
}

/** Limit of tool names in model APIs. */
const MODEL_NAME_MAX_CHARACTERS = 64
/** Most tools of all servers that a model is offered. */
const MAX_TOOLS = 60
const SUMMARY_MAX_CHARACTERS = 300

/** Rule for a tool: the administrator's, else `ask`, or `allow` when it's read-only. */
export function ruleOf(
  { rules }: Pick<McpServerRow, 'rules'>,
  tool: Pick<KeptTool, 'name' | 'isReadOnly'>,
): McpToolRule {
  if (Object.hasOwn(rules, tool.name)) return rules[tool.name] ?? 'ask'
  return tool.isReadOnly ? 'allow' : 'ask'
}

/** The tools of connected MCP servers that a user may use. */
export function createConnectedTools(deps: {
  /** As they were read last. */
  rows(): McpServerRow[]
  /** Role at the time of the last read; it's checked again at each call. */
  isAdmin(userId: string): boolean
  findUser: McpServersStore['findUser']
  /** Client of a server; users' own servers have stricter address checks. */
  clientOf(row: McpServerRow): Pick<McpClient, 'callTool'>
  placeOf(row: McpServerRow): McpPlace
  /** Asks a server for its tools again, in the background. */
  refresh(row: McpServerRow): void
}) {
  const { rows, isAdmin, findUser, clientOf, placeOf, refresh } = deps

  const connect = (row: McpServerRow, tool: KeptTool): ConnectedTool => ({
    // nobody takes a server of their own for one of the instance
    name: `${row.name}${row.userId === null ? '' : ' (own)'}: ${tool.name}`,
    tool: { name: modelNameOf(row, tool), description: tool.description || tool.title, parameters: tool.parameters },
    asksFirst: ruleOf(row, tool) === 'ask',
    isReadOnly: tool.isReadOnly,
    async run(argumentsText, { userId, signal }) {
      const user = await findUser(userId)
      if (user === null || !isFor(row, userId, user.isAdmin))
        throw new NotFoundError('This tool is not there any more.')
      const { text, isError, hasOtherTools } = await clientOf(row)
        .callTool(placeOf(row), tool.name, readArguments(argumentsText), signal)
        .catch((error: unknown) => {
          // it may not have the tool any more
          if (error instanceof AppError && error.code === 'mcp_broken') refresh(row)
          throw error
        })
      if (hasOtherTools) refresh(row)
      if (isError) throw new UnavailableError(text || 'The tool failed.', { code: 'mcp_tool_failed' })
      const summary = text.replace(/\s+/g, ' ').trim().slice(0, SUMMARY_MAX_CHARACTERS)
      return { output: text, summary: summary || '–', data: {}, quotesOthers: true }
    },
  })

  const all = () =>
    rows()
      .filter(({ isEnabled }) => isEnabled)
      .flatMap((row) =>
        row.tools.filter((tool) => ruleOf(row, tool) !== 'off').map((tool) => ({ row, connected: connect(row, tool) })),
      )

  return {
    toolsFor: (userId: string): ConnectedTool[] =>
      all()
        .filter(({ row }) => isFor(row, userId, isAdmin(userId)))
        .slice(0, MAX_TOOLS)
        .map(({ connected }) => connected),

    /** The tool that a model calls by this name; permissions are checked when it runs. */
    find: (modelName: string): ConnectedTool | null =>
      all().find(({ connected }) => connected.tool.name === modelName)?.connected ?? null,
  }
}

function isFor({ audience, userIds }: McpServerRow, userId: string, isAdmin: boolean): boolean {
  if (audience === 'everyone') return true
  return audience === 'admins' ? isAdmin : userIds.includes(userId)
}

/** A unique name that models accept, ending in a hash of the server and the tool. */
function modelNameOf({ id, name }: McpServerRow, tool: KeptTool): string {
  const plain = (text: string) => text.replace(/[^\w-]+/g, '_').replace(/^_+|_+$/g, '')
  const mark = createHash('sha256').update(`${id} ${tool.name}`).digest('hex').slice(0, 6)
  const readable = `${plain(name).slice(0, 20)}_${plain(tool.name)}`
  return `${readable.slice(0, MODEL_NAME_MAX_CHARACTERS - mark.length - 1)}_${mark}`
}

/** @throws BadRequestError */
function readArguments(text: string): Record<string, unknown> {
  const value = text.trim() === '' ? {} : parseArguments(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new BadRequestError('The arguments must be a JSON object.')
}
