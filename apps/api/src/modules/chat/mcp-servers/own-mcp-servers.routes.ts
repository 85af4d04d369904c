import {
  idParamsSchema,
  mcpServerSchema,
  newOwnMcpServerSchema,
  ownMcpServersResponseSchema,
  updateOwnMcpServerSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { McpServersService } from './mcp-servers.service.ts'

const WRITTEN = 'Key and headers are kept encrypted; they are written, and never read.'

/** Users connect servers over HTTP only. */
const rejectProgram = () => Promise.reject(new Error('a program is nobody’s own server'))

/** /me/mcp-servers: servers of others that people connect for themselves, where an administrator allows it. */
export async function ownMcpServersRoutes(
  fastify: FastifyInstance,
  { mcpServers }: { mcpServers: McpServersService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/me/mcp-servers',
    {
      config: { access: 'agents' },
      schema: {
        summary: "List the caller's own MCP servers",
        description: 'In the order in which they were added. Where `allowed` is false none of them is used.',
        tags: ['Agents'],
        response: { 200: ownMcpServersResponseSchema },
      },
    },
    async (request) => mcpServers.listOwn(principalOf(request).user.id),
  )

  app.post(
    '/me/mcp-servers',
    {
      config: { access: 'agents', sessionOnly: true },
      schema: {
        summary: 'Connect an MCP server for oneself',
        description:
          'Over Streamable HTTP, at an address of the public internet (or one listed in FETCH_ALLOWED_HOSTS). It is asked for ' +
          `its tools before this answers; what goes wrong then is in \`check\`. ${WRITTEN}`,
        tags: ['Agents'],
        body: newOwnMcpServerSchema,
        response: { 201: mcpServerSchema },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      const wish = { ...request.body, arguments: [], audience: 'chosen' as const, user_ids: [] }
      const made = await mcpServers.add(principalOf(request).user.id, wish, rejectProgram)
      reply.code(201)
      return made
    },
  )

  app.patch(
    '/me/mcp-servers/:id',
    {
      config: { access: 'agents', sessionOnly: true },
      schema: {
        summary: 'Change an own MCP server',
        description: `What is left out stays; an empty key and null remove it. ${WRITTEN} At another host those that are not given again are forgotten.`,
        tags: ['Agents'],
        params: idParamsSchema,
        body: updateOwnMcpServerSchema,
        response: { 200: mcpServerSchema },
        errors: [403],
      },
    },
    async (request) => mcpServers.update(principalOf(request).user.id, request.params.id, request.body, rejectProgram),
  )

  app.delete(
    '/me/mcp-servers/:id',
    {
      config: { access: 'agents', sessionOnly: true },
      schema: {
        summary: 'Remove an own MCP server',
        tags: ['Agents'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await mcpServers.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/me/mcp-servers/:id/test',
    {
      config: { access: 'agents', sessionOnly: true },
      schema: {
        summary: 'Ask an own MCP server for its tools',
        description: 'What goes wrong is in `check`; the tools that it listed before stay then.',
        tags: ['Agents'],
        params: idParamsSchema,
        response: { 200: mcpServerSchema },
        errors: [403],
      },
    },
    async (request) => mcpServers.test(principalOf(request).user.id, request.params.id),
  )
}
