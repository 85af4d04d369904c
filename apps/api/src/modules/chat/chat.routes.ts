import { Readable } from 'node:stream'
import { can } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf, requireTokenScope } from '../../platform/http/access.ts'
import { callerOf } from '../../platform/http/caller-of.ts'
import { dispositionOf, sendFile } from '../../platform/http/file-response.ts'
import { createAddressRateLimit } from '../../platform/http/rate-limits.ts'
import { serve } from '../../platform/http/serve.ts'
import { sendSse } from '../../platform/http/sse.ts'
import { mayKnowSetup } from '../../platform/http/wording.ts'
import type { AboutMeService } from './about-me/about-me.service.ts'
import type { ChatService } from './chat.service.ts'
import type { SessionsService } from './conversations/sessions.service.ts'
import type { ExportsService } from './exports/exports.service.ts'
import type { PersonasService } from './personas/personas.service.ts'
import type { PicturesService } from './pictures/pictures.service.ts'
import type { ProjectsService } from './projects/projects.service.ts'
import type { PromptsService } from './prompts/prompts.service.ts'
import type { SharesService } from './shares/shares.service.ts'

/** /chat/messages/{id}/images: pictures of messages. */
export async function picturesRoutes(app: FastifyInstance, { pictures }: { pictures: PicturesService }): Promise<void> {
  serve(app, 'GET /chat/messages/:id/images/:n', async (request, reply) => {
    const { id, n } = request.params
    const file = await pictures.file(principalOf(request).user.id, id, n, request.query.size)
    return sendFile(request, reply, file)
  })

  serve(app, 'POST /chat/messages/:id/images/:n/keep', async (request, reply) => {
    requireTokenScope(request, 'upload')
    const { user } = principalOf(request)
    const { id, n } = request.params
    const uploader = { userId: user.id, mayUpload: can(user, 'upload'), countsInAnalytics: !isAnalyticsOff(request) }
    const { item, isNew } = await pictures.saveToLibrary(uploader, id, n)
    return reply.code(isNew ? 201 : 200).send(item)
  })
}

/** Short, so that a revoked link soon stops working in browsers that have cached its pictures. */
const PICTURE_CACHE = 'private, max-age=300'

interface SharesRoutesOptions {
  shares: SharesService
  addressOf(request: FastifyRequest): string
}

/** /shares: the caller's links; /public/shares: shared conversations, for anyone with a link. */
export async function sharesRoutes(app: FastifyInstance, { shares, addressOf }: SharesRoutesOptions): Promise<void> {
  const limitRate = createAddressRateLimit({
    maxCalls: 600,
    sentence: 'Too many requests from your address. Try again in a minute.',
  })
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.config.access === 'public') reply.header('x-robots-tag', 'noindex, nofollow')
  })

  serve(app, 'GET /shares', async (request) => shares.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /shares', async (request, reply) =>
    reply.code(201).send(await shares.create(principalOf(request).user.id, request.body)),
  )

  serve(app, 'DELETE /shares/:id', async (request, reply) => {
    await shares.revoke(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'GET /public/shares/:token', async (request, reply) => {
    limitRate(addressOf(request))
    reply.header('cache-control', 'no-store')
    return shares.read(request.params.token, request.query)
  })

  serve(app, 'GET /public/shares/:token/images/:id/:n', async (request, reply) => {
    limitRate(addressOf(request))
    const { token, id, n } = request.params
    const file = await shares.picture(token, id, n, request.query.size)
    return sendFile(request, reply, { ...file, cacheControl: PICTURE_CACHE })
  })

  serve(app, 'POST /public/shares/:token/continue', async (request, reply) =>
    reply.code(201).send(await shares.copyFor(principalOf(request).user.id, request.params.token)),
  )
}

/** /prompts: the caller's saved beginnings of messages. */
export async function promptsRoutes(app: FastifyInstance, { prompts }: { prompts: PromptsService }): Promise<void> {
  serve(app, 'GET /prompts', async (request) => prompts.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /prompts', async (request, reply) =>
    reply.code(201).send(await prompts.add(principalOf(request).user.id, request.body)),
  )

  serve(app, 'PATCH /prompts/:id', async (request) =>
    prompts.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /prompts/:id', async (request, reply) => {
    await prompts.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}

/** /projects: groups of the caller's conversations. */
export async function projectsRoutes(app: FastifyInstance, { projects }: { projects: ProjectsService }): Promise<void> {
  serve(app, 'GET /projects', async (request) => projects.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /projects', async (request, reply) =>
    reply.code(201).send(await projects.add(principalOf(request).user.id, request.body)),
  )

  serve(app, 'PATCH /projects/:id', async (request) =>
    projects.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /projects/:id', async (request, reply) => {
    await projects.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}

/** /personas: the caller's own and shared personas. */
export async function personasRoutes(app: FastifyInstance, { personas }: { personas: PersonasService }): Promise<void> {
  serve(app, 'GET /personas', async (request) => personas.list(principalOf(request).user.id, request.query))

  serve(app, 'GET /personas/tools', async (request) => personas.tools(principalOf(request).user.id))

  serve(app, 'POST /personas', async (request, reply) =>
    reply.code(201).send(await personas.add(principalOf(request).user.id, request.body)),
  )

  serve(app, 'PATCH /personas/:id', async (request) =>
    personas.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /personas/:id', async (request, reply) => {
    await personas.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'PATCH /admin/personas/:id', async (request) =>
    personas.administer(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /admin/personas/:id', async (request, reply) => {
    await personas.removeShared(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}

/** /chat/sessions/{id}/export: conversations as files. */
export async function exportsRoutes(app: FastifyInstance, { exports }: { exports: ExportsService }): Promise<void> {
  serve(app, 'GET /chat/sessions/:id/export', async (request, reply) => {
    const { user, language, timeZone } = principalOf(request)
    const reader = { name: user.full_name ?? user.username, language, timeZone, mayKnowSetup: mayKnowSetup(request) }
    const file = await exports.open(user.id, request.params.id, request.query.format, reader)
    return reply
      .headers({
        'content-type': file.contentType,
        'content-disposition': dispositionOf('attachment', file.name),
        'cache-control': 'no-store',
      })
      .send(Readable.from(file.text))
  })
}

/** /chat/sessions, /chat/tags and /chat/stats: lists, shows and organises conversations. */
export async function sessionsRoutes(app: FastifyInstance, { sessions }: { sessions: SessionsService }): Promise<void> {
  serve(app, 'GET /chat/sessions', async (request, reply) => {
    const { items, nextCursor } = await sessions.list(principalOf(request).user.id, request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'GET /chat/sessions/:id', async (request) =>
    sessions.get(principalOf(request).user.id, request.params.id, request.query),
  )

  serve(app, 'PATCH /chat/sessions/:id', async (request) =>
    sessions.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /chat/sessions/:id', async (request, reply) => {
    await sessions.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /chat/sessions/delete', async (request) => ({
    deleted: await sessions.removeMany(principalOf(request).user.id, request.body.ids, request.body.in),
  }))

  serve(app, 'POST /chat/sessions/trash', async (request) => ({
    changed: await sessions.trashMany(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /chat/sessions/restore', async (request) => ({
    changed: await sessions.restoreMany(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /chat/sessions/change', async (request) => ({
    changed: await sessions.changeMany(principalOf(request).user.id, request.body),
  }))

  serve(app, 'GET /chat/tags', async (request) => sessions.listTags(principalOf(request).user.id))

  serve(app, 'GET /chat/stats', async (request) => sessions.stats(principalOf(request).user.id))
}

/** /me/instructions and /me/facts: the caller's instructions and remembered facts. */
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

/** /chat: messages and their streamed answers. */
export async function chatRoutes(app: FastifyInstance, { chat }: { chat: ChatService }): Promise<void> {
  serve(app, 'POST /chat/message', async (request, reply) => {
    const startedAt = performance.now()
    const answer = await chat.send(callerOf(request), request.body, startedAt)
    // Frees tens of megabytes while the answer is being streamed.
    request.body = { ...request.body, images: [] }
    return sendSse(reply, answer)
  })

  serve(app, 'GET /chat/sessions/:id/stream', async (request, reply) => {
    const answer = await chat.streamAnswer(principalOf(request).user.id, request.params.id, {
      messageId: request.query.message_id,
      afterSeq: request.headers['last-event-id'],
    })
    return sendSse(reply, answer)
  })

  serve(app, 'POST /chat/sessions/:id/regenerate', async (request, reply) => {
    const startedAt = performance.now()
    // The new answer is based on the stored conversation.
    requireTokenScope(request, 'read')
    const { params, body } = request
    return sendSse(reply, await chat.regenerate(callerOf(request), params.id, body, startedAt))
  })

  serve(app, 'GET /chat/messages/:id/versions', async (request) => ({
    messages: await chat.versions(principalOf(request).user.id, request.params.id),
  }))

  serve(app, 'POST /chat/messages/:id/feedback', async (request) =>
    chat.rate(principalOf(request).user.id, request.params.id, request.body.rating),
  )

  serve(app, 'POST /chat/sessions/:id/stop', async (request, reply) => {
    await chat.stop(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /chat/sessions/:id/calls/:call_id', async (request) => {
    const startedAt = performance.now()
    const { params, body } = request
    return chat.decideCall(callerOf(request), params.id, params.call_id, body.allow, startedAt)
  })

  serve(app, 'POST /chat/sessions/:id/messages/:message_id/continue', async (request) => {
    const startedAt = performance.now()
    const { params } = request
    return chat.continueAnswer(callerOf(request), params.id, params.message_id, startedAt)
  })
}
