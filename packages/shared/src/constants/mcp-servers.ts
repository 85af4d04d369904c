/** How an MCP server is reached: over HTTP, or as a program that this server starts. */
export const mcpTransports = ['http', 'stdio'] as const

/** Who may use the tools of an MCP server, of those who may use agents. */
export const mcpAudiences = ['everyone', 'admins', 'chosen'] as const

/** What becomes of a call: it is made, the person is asked first, or the tool is not offered. */
export const mcpToolRules = ['allow', 'ask', 'off'] as const
export type McpToolRule = (typeof mcpToolRules)[number]

export const MOST_MCP_SERVERS = 20
/** That one person connects for themselves. */
export const MOST_OWN_MCP_SERVERS = 10
/** Of one server; a model is told of each of them with every question. */
export const MOST_MCP_TOOLS = 60
