/** Database channel on which servers hear that MCP servers have changed; ending a user's access ends theirs. */
export const MCP_SERVERS_CHANNEL = 'mira_mcp_servers'
