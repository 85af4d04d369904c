import {
  downloadParamsSchema,
  downloadQuerySchema,
  effectsGallerySchema,
  idParamsSchema,
  mediaItemSchema,
  newRecipeSchema,
  pageQuerySchema,
  pictureSizeSchema,
  recipeSchema,
  recipesSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { MadePicturesService } from './made-pictures.service.ts'

interface Deps {
  madePictures: MadePicturesService
}

/** /image-effects/effects/gallery, …/download and /image-effects/recipes: what a person made with effects, and how. */
export async function madePicturesRoutes(fastify: FastifyInstance, { madePictures }: Deps): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/image-effects/effects/gallery',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'List the pictures that effects made',
        tags: ['Image effects'],
        querystring: pageQuerySchema,
        response: { 200: effectsGallerySchema },
      },
    },
    async (request) => madePictures.gallery(principalOf(request).user.id, request.query),
  )

  app.get(
    '/image-effects/effects/download/:download_id',
    {
      config: { access: 'upload', signed: true },
      schema: {
        summary: 'Download a picture that effects made',
        description:
          'Opens with a token or with the signed path that a result carries. PNG unless another format is asked for.',
        tags: ['Image effects'],
        params: downloadParamsSchema,
        querystring: downloadQuerySchema.extend({ size: pictureSizeSchema.default('original') }),
        file: ['image/png', 'image/webp', 'image/jpeg', 'image/avif'],
      },
    },
    async (request, reply) => {
      const userId = principalOf(request).user.id
      const { download_id: id } = request.params
      const { format, size } = request.query
      const file =
        format === 'png'
          ? await madePictures.picture(userId, id, size)
          : await madePictures.converted(userId, id, format)
      return sendFile(request, reply, file)
    },
  )

  app.delete(
    '/image-effects/effects/gallery/:download_id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Delete a picture that effects made',
        tags: ['Image effects'],
        params: downloadParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await madePictures.remove(principalOf(request).user.id, request.params.download_id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/image-effects/effects/gallery/:download_id/keep',
    {
      config: { access: 'upload', answersStored: true },
      schema: {
        summary: 'Keep a picture that effects made in memory',
        description: '200 with the item that is there when the same picture was kept before.',
        tags: ['Image effects'],
        params: downloadParamsSchema,
        response: { 200: mediaItemSchema, 201: mediaItemSchema },
      },
    },
    async (request, reply) => {
      const { item, isNew } = await madePictures.keep(principalOf(request).user.id, request.params.download_id)
      return reply.code(isNew ? 201 : 200).send(item)
    },
  )

  app.get(
    '/image-effects/recipes',
    {
      config: { access: 'upload' },
      schema: { summary: 'List the caller’s recipes', tags: ['Image effects'], response: { 200: recipesSchema } },
    },
    async (request) => ({ recipes: await madePictures.recipes(principalOf(request).user.id) }),
  )

  app.post(
    '/image-effects/recipes',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Save a recipe',
        description: 'One of the same name is replaced.',
        tags: ['Image effects'],
        body: newRecipeSchema,
        response: { 201: recipeSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const recipe = await madePictures.saveRecipe(principalOf(request).user.id, request.body)
      return reply.code(201).send(recipe)
    },
  )

  app.delete(
    '/image-effects/recipes/:id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Delete a recipe',
        tags: ['Image effects'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await madePictures.removeRecipe(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}
