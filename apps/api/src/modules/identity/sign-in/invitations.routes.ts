import {
  acceptInvitationSchema,
  createInvitationSchema,
  idParamsSchema,
  invitationLookSchema,
  invitationSchema,
  loginResponseSchema,
  lookAtInvitationSchema,
  pageQuerySchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff } from '../../../platform/http/access.ts'
import { nextCursorHeader, noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { InvitationsService } from './invitations.service.ts'
import { actorOf, loginAnswer, type SignInRoutesOptions, visitorOf } from './sign-in-routes.ts'

interface InvitationsRoutesOptions extends SignInRoutesOptions {
  invitations: InvitationsService
  publicUrl: string | null
}

/** /admin/invitations for administrators, and /auth/invitations for those who are invited. */
export async function invitationsRoutes(
  fastify: FastifyInstance,
  { invitations, publicUrl, ...options }: InvitationsRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const administrators = { access: 'admin', sessionOnly: true, audit: false } as const

  app.get(
    '/admin/invitations',
    {
      config: administrators,
      schema: {
        summary: 'List the invitations',
        tags: ['Admin'],
        querystring: pageQuerySchema,
        response: { 200: z.array(invitationSchema) },
        answerHeaders: nextCursorHeader,
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await invitations.list(request.query)
      if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
      return items
    },
  )

  app.post(
    '/admin/invitations',
    {
      config: administrators,
      schema: {
        summary: 'Invite somebody',
        description:
          'They choose their own name and password at `url`, which is PUBLIC_URL/invitation#<token>. Both are shown in this ' +
          'answer and never again.',
        tags: ['Admin'],
        body: createInvitationSchema,
        response: { 201: invitationSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      reply.code(201)
      const inAnalytics = !isAnalyticsOff(request)
      const made = await invitations.create(actorOf(request, options), request.body, { inAnalytics })
      // in the fragment, which browsers send nobody
      return publicUrl === null ? made : { ...made, url: `${publicUrl}/invitation#${made.token}` }
    },
  )

  app.delete(
    '/admin/invitations/:id',
    {
      config: administrators,
      schema: {
        summary: 'Revoke an invitation',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      const inAnalytics = !isAnalyticsOff(request)
      await invitations.revoke(actorOf(request, options), request.params.id, { inAnalytics })
      return reply.code(204).send()
    },
  )

  app.post(
    '/auth/invitations/look',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Read what an invitation offers',
        tags: ['Auth'],
        body: lookAtInvitationSchema,
        response: { 200: invitationLookSchema },
        errors: [404, 429],
      },
    },
    async (request) => invitations.look(request.body.token, options.addressOf(request)),
  )

  app.post(
    '/auth/invitations/accept',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Accept an invitation',
        description: 'Makes the account with a name and a password of one’s own, and signs in to it.',
        tags: ['Auth'],
        body: acceptInvitationSchema,
        response: { 201: loginResponseSchema },
        errors: [404, 409, 429],
      },
    },
    async (request, reply) => {
      const { token, username, full_name, password } = request.body
      const given = { token, username, fullName: full_name || null, password }
      const session = await invitations.accept({ ...given, ...visitorOf(request, options) })
      reply.code(201)
      return loginAnswer(session, options)
    },
  )
}
