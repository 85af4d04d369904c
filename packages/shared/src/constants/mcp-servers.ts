/** Transports of an MCP server: HTTP, or a program started by this server. */
export const mcpTransports = ['http', 'stdio'] as const

/** Audiences of an MCP server's tools, among users who may use agents. */
export const mcpAudiences = ['everyone', 'admins', 'chosen'] as const

/** Rules for a tool: call it, ask the user first, or don't offer it. */
export const mcpToolRules = ['allow', 'ask', 'off'] as const
export type McpToolRule = (typeof mcpToolRules)[number]

export const MAX_MCP_SERVERS = 20
/** Limit of servers that one user connects. */
export const MAX_OWN_MCP_SERVERS = 10
/** Limit per server; a model receives all tools with every question. */
export const MAX_MCP_TOOLS = 60
