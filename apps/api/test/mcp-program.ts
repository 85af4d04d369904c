import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

// An MCP server that runs as a program over stdio; its tool returns environment variables.
const server = new McpServer({ name: 'program', version: '1' })
server.registerTool('variables', { description: 'Its variables', annotations: { readOnlyHint: true } }, () => ({
  content: [{ type: 'text', text: `TOKEN=${process.env.TOKEN ?? ''} JWT_SECRET=${process.env.JWT_SECRET ?? ''}` }],
}))
await server.connect(new StdioServerTransport())
