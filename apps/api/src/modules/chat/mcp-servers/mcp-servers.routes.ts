import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { McpServersService } from './mcp-servers.service.ts'

/** Users may only connect servers over HTTP. */
const rejectProgram = () => Promise.reject(new Error('users can’t connect programs'))

/** /me/mcp-servers: external servers that users connect for themselves, if an administrator allows it. */
export async function ownMcpServersRoutes(
  app: FastifyInstance,
  { mcpServers }: { mcpServers: McpServersService },
): Promise<void> {
  serve(app, 'GET /me/mcp-servers', async (request) => mcpServers.listOwn(principalOf(request).user.id))

  serve(app, 'POST /me/mcp-servers', async (request, reply) => {
    const fields = { ...request.body, arguments: [], audience: 'chosen' as const, user_ids: [] }
    const server = await mcpServers.add(principalOf(request).user.id, fields, rejectProgram)
    reply.code(201)
    return server
  })

  serve(app, 'PATCH /me/mcp-servers/:id', async (request) =>
    mcpServers.update(principalOf(request).user.id, request.params.id, request.body, rejectProgram),
  )

  serve(app, 'DELETE /me/mcp-servers/:id', async (request, reply) => {
    await mcpServers.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /me/mcp-servers/:id/test', async (request) =>
    mcpServers.test(principalOf(request).user.id, request.params.id),
  )
}

interface McpServersRoutesOptions {
  mcpServers: McpServersService
  /** @throws ForbiddenError unless the user signed in within the last few minutes or the password is right. */
  requireFresh(request: FastifyRequest, password: string | undefined): Promise<void>
}

/** /admin/mcp-servers: external servers whose tools the assistant may call. */
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
