/** Programs and services that search the web for the assistant. */
export const webSearchProviders = ['searxng', 'brave', 'tavily'] as const
export type WebSearchProvider = (typeof webSearchProviders)[number]

/** API URLs of the search providers; null for a self-hosted one. */
export const webSearchAddresses: Readonly<Record<WebSearchProvider, string | null>> = {
  searxng: null,
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
}

/** `media_type` of a source that is a web page. */
export const WEB_SOURCE = 'web'

/** Names of tools, also used in tool calls. */
export const SEARCH_WEB = 'search_web'
export const READ_PAGE = 'read_page'

export const agentNames = ['CalculatorAgent', 'WeatherAgent', 'NewsAgent', 'ReminderAgent', 'FileAgent'] as const
export type AgentName = (typeof agentNames)[number]

/** Tool that proposes to remember a fact about the user. */
export const REMEMBER = 'remember'

/** Tool that draws a picture. */
export const MAKE_PICTURE = 'make_picture'

/** Tool that searches the user's memory. */
export const SEARCH_MEMORY = 'search_memory'

/** Built-in tools of answers, in addition to agents and tools of connected servers. */
export const answerToolNames = [SEARCH_MEMORY, REMEMBER, SEARCH_WEB, READ_PAGE, MAKE_PICTURE] as const

/** Origin of a call: the web app, a conversation, or a program with a personal API token. */
export const agentRunOrigins = ['page', 'chat', 'api'] as const

/** Transports of an MCP server: HTTP, or a program started by this server. */
export const mcpTransports = ['http', 'stdio'] as const

/** Audiences of an MCP server's tools, among users who may use agents. */
export const mcpAudiences = ['everyone', 'admins', 'chosen'] as const

/** Rules for a tool: call it, ask the user first, or don't offer it. */
export const mcpToolRules = ['allow', 'ask', 'off'] as const
export type McpToolRule = (typeof mcpToolRules)[number]

export const MAX_MCP_SERVERS = 20
/** Limit per user. */
export const MAX_OWN_MCP_SERVERS = 10
/** Limit per server; further tools aren't listed. */
export const MAX_MCP_TOOLS = 300
/** Limit for all servers of a user together; a model receives these tools with every question. */
export const MAX_OFFERED_MCP_TOOLS = 60
