import {
  changedCountSchema,
  deletedSchema,
  idParamsSchema,
  improveResponseSchema,
  improveSchema,
  knownQuestionSchema,
  knownResponseSchema,
  libraryQuerySchema,
  librarySchema,
  manyMediaChangesSchema,
  mediaChangesSchema,
  mediaDetailSchema,
  mediaIdsSchema,
  mediaItemSchema,
  mediaStatsSchema,
  mediaTagChangesSchema,
  mediaTagsSchema,
  reprocessSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../../../errors.ts'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ImprovingService } from '../pipeline/improving.service.ts'
import type { MediaTrashService } from '../trash/trash.service.ts'
import type { CorrectionsService } from './corrections.service.ts'
import type { MediaService } from './media.service.ts'
import type { OwnFactsService } from './own-facts.service.ts'

/** The text of a long document, page by page. */
const CHANGES_MAX_BYTES = 4 * 1024 * 1024

/** /media/…: what the caller has shown to the assistant. */
export async function mediaRoutes(
  fastify: FastifyInstance,
  {
    media,
    corrections,
    ownFacts,
    improving,
    mediaTrash,
  }: {
    media: MediaService
    corrections: CorrectionsService
    ownFacts: OwnFactsService
    improving: ImprovingService
    mediaTrash: MediaTrashService
  },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/media/stats',
    {
      config: { access: 'user' },
      schema: { summary: 'Read the caller’s own totals', tags: ['Media'], response: { 200: mediaStatsSchema } },
    },
    async (request) => media.stats(principalOf(request).user.id),
  )

  app.get(
    '/media/library',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'List items',
        description:
          'Texts are cut to 500 characters; GET /media/{id} has the whole of them. `in=trash` lists what is in the trash, ' +
          'of which nothing else but the thumbnail can be read.',
        tags: ['Media'],
        querystring: libraryQuerySchema,
        response: { 200: librarySchema },
        errors: [400],
      },
    },
    async (request) => media.list(principalOf(request).user.id, request.query),
  )

  app.get(
    '/media/tags',
    {
      config: { access: 'upload' },
      schema: { summary: 'List the caller’s tags', tags: ['Media'], response: { 200: mediaTagsSchema } },
    },
    async (request) => ({ tags: await media.tags(principalOf(request).user.id) }),
  )

  app.post(
    '/media/tags',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Add tags to items and remove tags from them',
        tags: ['Media'],
        body: mediaTagChangesSchema,
        response: { 200: changedCountSchema },
      },
    },
    async (request) => {
      const { ids, ...changes } = request.body
      return { changed: await media.tag(principalOf(request).user.id, ids, changes) }
    },
  )

  app.post(
    '/media/changes',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Correct the date, place or tags of many items',
        description:
          'All of them or none. What is given is kept as the person’s own, whatever files tell; null takes it back.',
        tags: ['Media'],
        body: manyMediaChangesSchema,
        response: { 200: changedCountSchema },
      },
    },
    async (request) => ({ changed: await ownFacts.changeMany(principalOf(request).user.id, request.body) }),
  )

  app.post(
    '/media/known',
    {
      config: { access: 'upload', scope: 'upload' },
      schema: {
        summary: 'Ask which files are there already, before they are sent',
        tags: ['Media'],
        body: knownQuestionSchema,
        response: { 200: knownResponseSchema },
      },
    },
    async (request) => ({ known: await media.known(principalOf(request).user.id, request.body.sha256) }),
  )

  app.post(
    '/media/delete',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Delete items for good, with everything that was made of them',
        description: 'Also of those in the trash. Rows go at once, files soon after; nothing can be restored.',
        tags: ['Media'],
        body: mediaIdsSchema,
        response: { 200: deletedSchema },
      },
    },
    async (request) => ({ deleted: await media.remove(principalOf(request).user.id, request.body.ids) }),
  )

  app.post(
    '/media/trash',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Move items to the trash',
        description:
          'Nothing but the list of the trash shows them there, they count toward the storage, and they are deleted for ' +
          'good when their days are over (`trash.days` of GET /config; 409 `trash_off` when that is 0). Uploading the ' +
          'same file again restores the item. Ids that are not there, or not the caller’s, are left out of the count.',
        tags: ['Media'],
        body: mediaIdsSchema,
        response: { 200: changedCountSchema },
        errors: [409],
      },
    },
    async (request) => ({ changed: await mediaTrash.trash(principalOf(request).user.id, request.body.ids) }),
  )

  app.post(
    '/media/restore',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Restore items from the trash',
        description: 'They are as they were before. Ids that are not in the caller’s trash are left out of the count.',
        tags: ['Media'],
        body: mediaIdsSchema,
        response: { 200: changedCountSchema },
      },
    },
    async (request) => ({ changed: await mediaTrash.restore(principalOf(request).user.id, request.body.ids) }),
  )

  app.get(
    '/media/:id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Read an item with all that was found in it',
        tags: ['Media'],
        params: idParamsSchema,
        response: { 200: mediaDetailSchema },
      },
    },
    async (request) => media.detail(principalOf(request).user.id, request.params.id),
  )

  app.patch(
    '/media/:id',
    {
      config: { access: 'upload', answersStored: true },
      bodyLimit: CHANGES_MAX_BYTES,
      schema: {
        summary: 'Correct an item',
        description:
          'What is given is kept as the person’s own, whatever engines find later; null takes it back, so that it is found out anew.',
        tags: ['Media'],
        params: idParamsSchema,
        body: mediaChangesSchema,
        response: { 200: mediaItemSchema },
      },
    },
    async (request) => {
      const userId = principalOf(request).user.id
      const { id } = request.params
      await corrections.change(userId, id, request.body)
      return media.item(userId, id)
    },
  )

  app.delete(
    '/media/:id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Delete an item for good, with everything that was made of it',
        description: 'Also one in the trash. Rows go at once, files soon after; nothing can be restored.',
        tags: ['Media'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      const deleted = await media.remove(principalOf(request).user.id, [request.params.id])
      if (deleted === 0) throw new NotFoundError('This item is not there any more.')
      return reply.code(204).send()
    },
  )

  app.post(
    '/media/reprocess',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Process many items again, in the background',
        description:
          'Those with the given ids, those that the filter lets through, or all that the caller has. What a person ' +
          'wrote or corrected stays. 409 while one is going on.',
        tags: ['Media'],
        body: improveSchema,
        response: { 202: improveResponseSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      return reply.code(202).send(await improving.begin(principalOf(request).user.id, request.body))
    },
  )

  app.get(
    '/media/reprocess',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Read how far the processing of many items is',
        tags: ['Media'],
        response: { 200: improveResponseSchema },
      },
    },
    async (request) => improving.progress(principalOf(request).user.id),
  )

  app.post(
    '/media/:id/reprocess',
    {
      config: { access: 'upload', answersStored: true },
      schema: {
        summary: 'Process an item again, or steps of it',
        description: 'What a person wrote or corrected stays.',
        tags: ['Media'],
        params: idParamsSchema,
        body: reprocessSchema,
        response: { 202: mediaItemSchema },
      },
    },
    async (request, reply) => {
      const item = await media.reprocess(principalOf(request).user.id, request.params.id, request.body.steps)
      return reply.code(202).send(item)
    },
  )
}
