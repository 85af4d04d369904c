import {
  mcpServerSchema,
  mcpServersResponseSchema,
  newMcpServerSchema,
  newOwnMcpServerSchema,
  ownMcpServersResponseSchema,
  updateMcpServerSchema,
  updateOwnMcpServerSchema,
} from '../mcp-servers.ts'
import { idParamsSchema } from '../timestamp.ts'
import { noContentSchema, routes } from './route.ts'

const WRITTEN = 'Key and headers are kept encrypted; they are written, and never read.'
const CONFIRMED = 'A program needs `current_password` as well more than ten minutes after signing in.'

export const mcpServersRoutes = routes({
  'GET /admin/mcp-servers': {
    access: 'admin',
    summary: 'List the connected MCP servers',
    description: 'In the order in which they were added, with their tools as they listed them last.',
    tag: 'Admin',
    response: { 200: mcpServersResponseSchema },
  },
  'POST /admin/mcp-servers': {
    access: 'admin',
    sessionOnly: true,
    audit: 'mcp_server.added',
    summary: 'Connect an MCP server',
    description:
      'By `url` over Streamable HTTP; by `command` only where MCP_STDIO=on stands in the environment. It is asked for ' +
      `its tools before this answers; what goes wrong then is in \`check\`. ${WRITTEN} ${CONFIRMED}`,
    tag: 'Admin',
    body: newMcpServerSchema,
    response: { 201: mcpServerSchema },
    errors: [403, 409, 429],
  },
  'PATCH /admin/mcp-servers/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'mcp_server.changed',
    summary: 'Change an MCP server',
    description: `What is left out stays; an empty key and null remove it. ${WRITTEN} With another address or command, those that are not given again are forgotten. ${CONFIRMED}`,
    tag: 'Admin',
    params: idParamsSchema,
    body: updateMcpServerSchema,
    response: { 200: mcpServerSchema },
    errors: [403, 429],
  },
  'DELETE /admin/mcp-servers/:id': {
    access: 'admin',
    sessionOnly: true,
    audit: 'mcp_server.removed',
    summary: 'Remove an MCP server',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /admin/mcp-servers/:id/test': {
    access: 'admin',
    sessionOnly: true,
    audit: 'mcp_server.tested',
    summary: 'Ask an MCP server for its tools',
    description: 'What goes wrong is in `check`; the tools that it listed before stay then.',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: mcpServerSchema },
    errors: [403],
  },
  'GET /me/mcp-servers': {
    access: 'agents',
    summary: "List the caller's own MCP servers",
    description: 'In the order in which they were added. Where `allowed` is false none of them is used.',
    tag: 'Agents',
    response: { 200: ownMcpServersResponseSchema },
  },
  'POST /me/mcp-servers': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Connect an MCP server for oneself',
    description:
      'Over Streamable HTTP, at an address of the public internet (or one listed in FETCH_ALLOWED_HOSTS). It is asked for ' +
      `its tools before this answers; what goes wrong then is in \`check\`. ${WRITTEN}`,
    tag: 'Agents',
    body: newOwnMcpServerSchema,
    response: { 201: mcpServerSchema },
    errors: [403, 409],
  },
  'PATCH /me/mcp-servers/:id': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Change an own MCP server',
    description: `What is left out stays; an empty key and null remove it. ${WRITTEN} At another host those that are not given again are forgotten.`,
    tag: 'Agents',
    params: idParamsSchema,
    body: updateOwnMcpServerSchema,
    response: { 200: mcpServerSchema },
    errors: [403],
  },
  'DELETE /me/mcp-servers/:id': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Remove an own MCP server',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /me/mcp-servers/:id/test': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Ask an own MCP server for its tools',
    description: 'What goes wrong is in `check`; the tools that it listed before stay then.',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 200: mcpServerSchema },
    errors: [403],
  },
})
