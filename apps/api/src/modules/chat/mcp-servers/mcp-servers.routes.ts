import {
  idParamsSchema,
  mcpServerSchema,
  mcpServersResponseSchema,
  newMcpServerSchema,
  updateMcpServerSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { McpServersService } from './mcp-servers.service.ts'

const CONFIRMED = 'A program needs `current_password` as well more than ten minutes after signing in.'
const WRITTEN = 'Key and headers are kept encrypted; they are written, and never read.'

export interface McpServersRoutesOptions {
  mcpServers: McpServersService
  /** @throws ForbiddenError unless the sign-in is minutes old or the password is right. */
  requireFresh(request: FastifyRequest, password: string | undefined): Promise<void>
}

/** /admin/mcp-servers: servers of others whose tools the assistant may call. */
export async function mcpServersRoutes(
  fastify: FastifyInstance,
  { mcpServers, requireFresh }: McpServersRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/mcp-servers',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the connected MCP servers',
        description: 'In the order in which they were added, with their tools as they listed them last.',
        tags: ['Admin'],
        response: { 200: mcpServersResponseSchema },
      },
    },
    () => mcpServers.list(),
  )

  app.post(
    '/admin/mcp-servers',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'mcp_server.added' },
      schema: {
        summary: 'Connect an MCP server',
        description:
          'By `url` over Streamable HTTP; by `command` only where MCP_STDIO=on stands in the environment. It is asked for ' +
          `its tools before this answers; what goes wrong then is in \`check\`. ${WRITTEN} ${CONFIRMED}`,
        tags: ['Admin'],
        body: newMcpServerSchema,
        response: { 201: mcpServerSchema },
        errors: [403, 409, 429],
      },
    },
    async (request, reply) => {
      const { current_password, ...wish } = request.body
      const made = await mcpServers.add(null, wish, () => requireFresh(request, current_password))
      reply.code(201)
      return made
    },
  )

  app.patch(
    '/admin/mcp-servers/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'mcp_server.changed' },
      schema: {
        summary: 'Change an MCP server',
        description: `What is left out stays; an empty key and null remove it. ${WRITTEN} With another address or command, those that are not given again are forgotten. ${CONFIRMED}`,
        tags: ['Admin'],
        params: idParamsSchema,
        body: updateMcpServerSchema,
        response: { 200: mcpServerSchema },
        errors: [403, 429],
      },
    },
    async (request) => {
      const { current_password, ...wish } = request.body
      const confirmProgram = () => requireFresh(request, current_password)
      return mcpServers.update(null, request.params.id, wish, confirmProgram)
    },
  )

  app.delete(
    '/admin/mcp-servers/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'mcp_server.removed' },
      schema: {
        summary: 'Remove an MCP server',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await mcpServers.remove(null, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/admin/mcp-servers/:id/test',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'mcp_server.tested' },
      schema: {
        summary: 'Ask an MCP server for its tools',
        description: 'What goes wrong is in `check`; the tools that it listed before stay then.',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 200: mcpServerSchema },
        errors: [403],
      },
    },
    async (request) => mcpServers.test(null, request.params.id),
  )
}
