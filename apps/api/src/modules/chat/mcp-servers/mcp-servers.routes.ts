import type { FastifyInstance, FastifyRequest } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { McpServersService } from './mcp-servers.service.ts'

export interface McpServersRoutesOptions {
  mcpServers: McpServersService
  /** @throws ForbiddenError unless the sign-in is minutes old or the password is right. */
  requireFresh(request: FastifyRequest, password: string | undefined): Promise<void>
}

/** /admin/mcp-servers: servers of others whose tools the assistant may call. */
export async function mcpServersRoutes(
  app: FastifyInstance,
  { mcpServers, requireFresh }: McpServersRoutesOptions,
): Promise<void> {
  serve(app, 'GET /admin/mcp-servers', () => mcpServers.list())

  serve(app, 'POST /admin/mcp-servers', async (request, reply) => {
    const { current_password, ...fields } = request.body
    const server = await mcpServers.add(null, fields, () => requireFresh(request, current_password))
    reply.code(201)
    return server
  })

  serve(app, 'PATCH /admin/mcp-servers/:id', async (request) => {
    const { current_password, ...changes } = request.body
    const confirmProgram = () => requireFresh(request, current_password)
    return mcpServers.update(null, request.params.id, changes, confirmProgram)
  })

  serve(app, 'DELETE /admin/mcp-servers/:id', async (request, reply) => {
    await mcpServers.remove(null, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /admin/mcp-servers/:id/test', async (request) => mcpServers.test(null, request.params.id))
}
