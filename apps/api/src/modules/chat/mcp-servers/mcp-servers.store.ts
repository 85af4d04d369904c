import type { McpToolRule } from '@mira/shared'
import { listAdminIds } from '../../../platform/database/admins.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { McpServerModel } from '../../../platform/database/generated/models/McpServer.ts'
import { readSentence, type Sentence, writeSentence } from '../../../sentences.ts'

/** A tool as last described by its server. */
export interface StoredTool {
  name: string
  title: string
  description: string
  parameters: Record<string, unknown>
  isReadOnly: boolean
  /** True when its parameters are too large for models, and not stored; absent in rows of earlier versions. */
  isTooLarge?: boolean
}

/** A stored MCP server; its key and headers are sealed. */
export interface McpServerRow {
  id: string
  /** Its owner; null for servers of administrators. */
  userId: string | null
  name: string
  url: string | null
  command: string | null
  arguments: string[]
  sealedKey: string | null
  sealedHeaders: string | null
  isEnabled: boolean
  audience: 'everyone' | 'admins' | 'chosen'
  userIds: string[]
  rules: Record<string, McpToolRule>
  tools: StoredTool[]
  /** Error of the last check; null when it succeeded or never ran. */
  problem: Sentence | null
  checkedAt: Date | null
}

export type McpServerValues = Omit<McpServerRow, 'id' | 'userId'>

export type McpServersStore = ReturnType<typeof createMcpServersStore>

export function createMcpServersStore({ prisma }: Pick<Database, 'prisma'>) {
  return {
    /** All servers, oldest first. */
    async list(): Promise<McpServerRow[]> {
      return (await prisma.mcpServer.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })).map(toRow)
    },

    /** @param userId owner; null for servers of administrators */
    async find(userId: string | null, id: string): Promise<McpServerRow | null> {
      const row = await prisma.mcpServer.findFirst({ where: { id, userId } })
      return row && toRow(row)
    },

    async add(values: Omit<McpServerRow, 'id' | 'tools' | 'problem' | 'checkedAt'>): Promise<McpServerRow> {
      return toRow(await prisma.mcpServer.create({ data: values }))
    },

    /** @returns false when there is no such server */
    async update(
      userId: string | null,
      id: string,
      { problem, tools, ...values }: Partial<McpServerValues>,
    ): Promise<boolean> {
      const { count } = await prisma.mcpServer.updateMany({
        where: { id, userId },
        data: {
          ...values,
          ...(tools === undefined ? {} : { tools: tools as unknown as object[] }),
          ...(problem === undefined ? {} : { problem: problem && writeSentence(problem) }),
        },
      })
      return count === 1
    },

    /** @returns false when there was no such server */
    async remove(userId: string | null, id: string): Promise<boolean> {
      const { count } = await prisma.mcpServer.deleteMany({ where: { id, userId } })
      return count === 1
    },

    listAdminIds: async () => new Set(await listAdminIds({ prisma })),

    /** A user with access to agents, and their role; null without access. */
    async findUser(id: string): Promise<{ isAdmin: boolean } | null> {
      const user = await prisma.user.findFirst({
        where: { id, isActive: true, canUseAgents: true },
        select: { role: true },
      })
      return user && { isAdmin: user.role === 'admin' }
    },
  }
}

function toRow({ problem, tools, rules, audience, createdAt: _createdAt, ...row }: McpServerModel): McpServerRow {
  return {
    ...row,
    audience: audience as McpServerRow['audience'],
    rules: rules as Record<string, McpToolRule>,
    tools: tools as unknown as StoredTool[],
    problem: problem === null ? null : readSentence(problem),
  }
}
