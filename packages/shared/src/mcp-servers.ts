import { z } from 'zod'
import { baseUrlSchema, headersSchema, keySchema } from './connections.ts'
import { MAX_MCP_TOOLS, mcpAudiences, mcpToolRules, mcpTransports } from './constants/agents.ts'
import { CONNECTION_NAME_MAX_CHARACTERS, PASSWORD_FIELD_MAX_CHARACTERS } from './constants/limits.ts'
import { idSchema } from './ids-and-pages.ts'
import { checkSchema } from './system.ts'
import { timestampSchema } from './timestamp.ts'

const ruleSchema = z.enum(mcpToolRules)

/** A tool of an MCP server, as the server describes it. */
export const mcpToolSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** True when the server declares the tool read-only. */
  read_only: z.boolean(),
  rule: ruleSchema,
})

/** An MCP server whose tools the assistant may call, without its secrets. */
export const mcpServerSchema = z.object({
  id: idSchema,
  name: z.string(),
  transport: z.enum(mcpTransports),
  /** URL of an HTTP server; null for a stdio server. */
  url: z.string().nullable(),
  /** Command of a stdio server, without its arguments; null for an HTTP server. */
  command: z.string().nullable(),
  arguments: z.array(z.string()),
  has_key: z.boolean(),
  /** Names of the HTTP headers, or of a program's environment variables. */
  header_names: z.array(z.string()),
  enabled: z.boolean(),
  audience: z.enum(mcpAudiences),
  /** Ids of the users who may use the server, for the audience `chosen`. */
  user_ids: z.array(idSchema),
  /** Result of the last check; `off` when the server is disabled. */
  check: checkSchema,
  checked_at: timestampSchema.nullable(),
  /** Tools that the server listed at the last check. */
  tools: z.array(mcpToolSchema),
  /** Number of available tools that models don't get, since there are too many or their schemas are too large. */
  tools_left_out: z.number().int(),
})
export type McpServer = z.output<typeof mcpServerSchema>
export type McpServerJson = z.input<typeof mcpServerSchema>

/** GET /admin/mcp-servers. */
export const mcpServersResponseSchema = z.object({
  /** True when stdio servers may be started: MCP_STDIO=on in the environment. */
  stdio_allowed: z.boolean(),
  servers: z.array(mcpServerSchema),
})
export type McpServersResponse = z.output<typeof mcpServersResponseSchema>

/** GET /me/mcp-servers: servers that the caller connected for themselves. */
export const ownMcpServersResponseSchema = z.object({
  /** True when an administrator permits own servers; otherwise they're neither used nor connected. */
  allowed: z.boolean(),
  servers: z.array(mcpServerSchema),
})
export type OwnMcpServersResponse = z.output<typeof ownMcpServersResponseSchema>

/** Password, needed more than ten minutes after signing in to set a `command`, which runs with all rights of the server. */
const currentPassword = z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS).optional()

const fields = {
  name: z.string().trim().min(1, { error: 'Give it a name.' }).max(CONNECTION_NAME_MAX_CHARACTERS),
  url: baseUrlSchema,
  command: z.string().trim().min(1).max(1000),
  arguments: z.array(z.string().max(2000)).max(50),
  api_key: keySchema.nullish(),
  headers: headersSchema.nullish(),
  enabled: z.boolean(),
  audience: z.enum(mcpAudiences),
  user_ids: z.array(idSchema).max(500),
  /**
   * Rules by tool name; for unlisted tools the default is `ask`, or `allow` when the server declares them read-only.
   */
  tool_rules: z
    .record(z.string().max(200), ruleSchema)
    .refine((rules) => Object.keys(rules).length <= MAX_MCP_TOOLS, { error: 'are too many' }),
}

/** POST /admin/mcp-servers: an HTTP server by `url`, or a program by `command`. Key and headers are never returned. */
export const newMcpServerSchema = z
  .strictObject({
    ...fields,
    current_password: currentPassword,
    url: fields.url.optional(),
    command: fields.command.optional(),
    arguments: fields.arguments.default([]),
    enabled: fields.enabled.default(true),
    audience: fields.audience.default('admins'),
    user_ids: fields.user_ids.default([]),
    tool_rules: fields.tool_rules.default({}),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), {
    error: 'Enter the address of the server, or the command that starts it.',
    path: ['url'],
  })
export type NewMcpServer = z.output<typeof newMcpServerSchema>
export type NewMcpServerJson = z.input<typeof newMcpServerSchema>

/**
 * PATCH /admin/mcp-servers/{id}: omitted fields stay. An empty key or null removes the key; headers replace all earlier ones.
 * With another command, or an address of another origin, a key and headers that are not sent again are removed.
 */
export const updateMcpServerSchema = z.strictObject({ ...fields, current_password: currentPassword }).partial()
export type UpdateMcpServer = z.output<typeof updateMcpServerSchema>
export type UpdateMcpServerJson = z.input<typeof updateMcpServerSchema>

const { name, url, api_key, headers, enabled, tool_rules } = fields
const ownFields = { name, url, api_key, headers, enabled, tool_rules }

/** POST /me/mcp-servers: over HTTP only, for the caller only. */
export const newOwnMcpServerSchema = z.strictObject({
  ...ownFields,
  enabled: ownFields.enabled.default(true),
  tool_rules: ownFields.tool_rules.default({}),
})
export type NewOwnMcpServerJson = z.input<typeof newOwnMcpServerSchema>

/** PATCH /me/mcp-servers/{id}: as PATCH /admin/mcp-servers/{id}. */
export const updateOwnMcpServerSchema = z.strictObject(ownFields).partial()
