import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { MadePicturesService } from './made-pictures.service.ts'

interface Deps {
  madePictures: MadePicturesService
}

/** /image-effects/effects/gallery, …/download and /image-effects/recipes: what a person made with effects, and how. */
export async function madePicturesRoutes(app: FastifyInstance, { madePictures }: Deps): Promise<void> {
  serve(app, 'GET /image-effects/effects/gallery', async (request) =>
    madePictures.gallery(principalOf(request).user.id, request.query),
  )

  serve(app, 'GET /image-effects/effects/download/:download_id', async (request, reply) => {
    const userId = principalOf(request).user.id
    const { download_id: id } = request.params
    const { format, size } = request.query
    const file =
      format === 'png' ? await madePictures.picture(userId, id, size) : await madePictures.converted(userId, id, format)
    return sendFile(request, reply, file)
  })

  serve(app, 'DELETE /image-effects/effects/gallery/:download_id', async (request, reply) => {
    await madePictures.remove(principalOf(request).user.id, request.params.download_id)
    return reply.code(204).send()
  })

  serve(app, 'POST /image-effects/effects/gallery/:download_id/keep', async (request, reply) => {
    const { item, isNew } = await madePictures.keep(principalOf(request).user.id, request.params.download_id)
    return reply.code(isNew ? 201 : 200).send(item)
  })

  serve(app, 'GET /image-effects/recipes', async (request) => ({
    recipes: await madePictures.recipes(principalOf(request).user.id),
  }))

  serve(app, 'POST /image-effects/recipes', async (request, reply) => {
    const recipe = await madePictures.saveRecipe(principalOf(request).user.id, request.body)
    return reply.code(201).send(recipe)
  })

  serve(app, 'DELETE /image-effects/recipes/:id', async (request, reply) => {
    await madePictures.removeRecipe(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}
