import { idParamsSchema } from '../ids-and-pages.ts'
import {
  mcpServerSchema,
  mcpServersResponseSchema,
  newMcpServerSchema,
  newOwnMcpServerSchema,
  ownMcpServersResponseSchema,
  updateMcpServerSchema,
  updateOwnMcpServerSchema,
} from '../mcp-servers.ts'
import { noContentSchema, routes } from './route.ts'

const WRITE_ONLY = 'Key and headers are stored encrypted and never returned.'
const FRESHNESS =
  'Adding a program, or changing its `command`, `arguments` or `headers`, also needs `current_password` more than ten ' +
  'minutes after signing in.'

export const mcpServersRoutes = routes({
  'GET /admin/mcp-servers': {
    access: 'admin',
    summary: 'List the connected MCP servers',
    description: 'In the order in which they were added, with the tools that they last listed.',
    tag: 'Admin',
    response: { 200: mcpServersResponseSchema },
  },
  'POST /admin/mcp-servers': {
    access: 'admin',
    sessionOnly: true,
    audit: 'mcp_server.added',
    summary: 'Connect an MCP server',
    description:
      'By `url` over Streamable HTTP; by `command` only where MCP_STDIO=on is set in the environment. The server ' +
      `is asked for its tools before the response is sent; problems are in \`check\`. ${WRITE_ONLY} ${FRESHNESS}`,
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
    description:
      `Omitted fields stay; an empty key or null removes it. ${WRITE_ONLY} With another command, or an address of ` +
      `another origin, a key and headers that are not sent again are removed. ${FRESHNESS}`,
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
    description: 'Problems are in `check`; the tools listed before are then kept.',
    tag: 'Admin',
    params: idParamsSchema,
    response: { 200: mcpServerSchema },
    errors: [403],
  },
  'GET /me/mcp-servers': {
    access: 'agents',
    summary: 'List the caller’s own MCP servers',
    description: 'In the order in which they were added. None of them is used while `allowed` is false.',
    tag: 'Agents',
    response: { 200: ownMcpServersResponseSchema },
  },
  'POST /me/mcp-servers': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Connect an MCP server for the caller',
    description:
      'Over Streamable HTTP, at an address on the public internet or one listed in FETCH_ALLOWED_HOSTS. The server ' +
      `is asked for its tools before the response is sent; problems are in \`check\`. ${WRITE_ONLY}`,
    tag: 'Agents',
    body: newOwnMcpServerSchema,
    response: { 201: mcpServerSchema },
    errors: [403, 409],
  },
  'PATCH /me/mcp-servers/:id': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Change one of the caller’s MCP servers',
    description:
      `Omitted fields stay; an empty key or null removes it. ${WRITE_ONLY} With an address of another origin, a key ` +
      'and headers that are not sent again are removed.',
    tag: 'Agents',
    params: idParamsSchema,
    body: updateOwnMcpServerSchema,
    response: { 200: mcpServerSchema },
    errors: [403],
  },
  'DELETE /me/mcp-servers/:id': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Remove one of the caller’s MCP servers',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 204: noContentSchema },
  },
  'POST /me/mcp-servers/:id/test': {
    access: 'agents',
    sessionOnly: true,
    summary: 'Ask one of the caller’s MCP servers for its tools',
    description: 'Problems are in `check`; the tools listed before are then kept.',
    tag: 'Agents',
    params: idParamsSchema,
    response: { 200: mcpServerSchema },
    errors: [403],
  },
})
