import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { InvitationsService } from './invitations.service.ts'
import { actorOf, loginResponse, type SignInRoutesOptions, visitorOf } from './sign-in.routes.ts'

interface InvitationsRoutesOptions extends SignInRoutesOptions {
  invitations: InvitationsService
  publicUrl: string | null
}

/** /admin/invitations for administrators, and /auth/invitations for those who are invited. */
export async function invitationsRoutes(
  app: FastifyInstance,
  { invitations, publicUrl, ...options }: InvitationsRoutesOptions,
): Promise<void> {
  serve(app, 'GET /admin/invitations', async (request, reply) => {
    const { items, nextCursor } = await invitations.list(request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'POST /admin/invitations', async (request, reply) => {
    reply.code(201)
    const invitation = await invitations.create(actorOf(request, options), request.body)
    // The fragment never leaves the browser.
    return publicUrl === null ? invitation : { ...invitation, url: `${publicUrl}/invitation#${invitation.token}` }
  })

  serve(app, 'DELETE /admin/invitations/:id', async (request, reply) => {
    await invitations.revoke(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /auth/invitations/look', async (request) =>
    invitations.look(request.body.token, options.addressOf(request)),
  )

  serve(app, 'POST /auth/invitations/accept', async (request, reply) => {
    const { token, username, full_name, password } = request.body
    const account = { token, username, fullName: full_name || null, password }
    const session = await invitations.accept({ ...account, ...visitorOf(request, options) })
    reply.code(201)
    return loginResponse(session, options)
  })
}
