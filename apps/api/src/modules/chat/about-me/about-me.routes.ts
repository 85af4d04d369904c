import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { AboutMeService } from './about-me.service.ts'

/** /me/instructions and /me/facts: what the assistant keeps in mind of the caller. */
export async function aboutMeRoutes(app: FastifyInstance, { aboutMe }: { aboutMe: AboutMeService }): Promise<void> {
  serve(app, 'GET /me/instructions', async (request) => aboutMe.instructions(principalOf(request).user.id))

  serve(app, 'PATCH /me/instructions', async (request) =>
    aboutMe.updateInstructions(principalOf(request).user.id, request.body),
  )

  serve(app, 'GET /me/facts', async (request) => aboutMe.facts(principalOf(request).user.id, request.query))

  serve(app, 'POST /me/facts', async (request, reply) => {
    const { fact, isNew } = await aboutMe.addFact(principalOf(request).user.id, request.body)
    return reply.code(isNew ? 201 : 200).send(fact)
  })

  serve(app, 'PATCH /me/facts/:id', async (request) =>
    aboutMe.updateFact(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /me/facts/:id', async (request, reply) => {
    await aboutMe.removeFact(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}
