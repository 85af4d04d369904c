import {
  idParamsSchema,
  importFieldsSchema,
  importSchema,
  importServerSchema,
  importSourceSchema,
  importsQuerySchema,
  importsResponseSchema,
  removeImportQuerySchema,
  UPLOAD_MAX_BYTES,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import { readUpload } from '../../../platform/http/multipart.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ImportsService } from './imports.service.ts'

/** /imports: what people bring from other programs. */
export async function importsRoutes(fastify: FastifyInstance, { imports }: { imports: ImportsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const tags: ['My data'] = ['My data']

  app.post(
    '/imports',
    {
      config: { access: 'user', isPatient: true, bound: 'import' },
      bodyLimit: UPLOAD_MAX_BYTES,
      schema: {
        summary: 'Bring things from another program',
        description:
          'A file that the program exported, as it came: conversations, or (`takeout`, `apple`, `files`) a ZIP file of pictures, films and documents. It is read whole before anything of it is stored, and what was brought before is skipped. Or as JSON the address of a server (`immich`) and a key of it, with which it is asked for what it keeps; the key is kept encrypted until the import is over. With `preview` it is only counted, and POST /imports/{id}/start brings it.',
        tags,
        form: importFieldsSchema.extend({ file: z.file() }),
        insteadOfForm: importServerSchema,
        response: { 202: importSchema },
        errors: [403, 413, 415, 422, 429, 507],
      },
    },
    async (request, reply) => {
      const { user } = principalOf(request)
      if (!request.isMultipart()) {
        return reply.code(202).send(await imports.beginFromServer(user, importServerSchema.parse(request.body)))
      }
      const { fields, name, file } = await readUpload(request, {
        maxFileBytes: UPLOAD_MAX_BYTES,
        receive: imports.receive,
      })
      const given = importFieldsSchema.safeParse(fields)
      if (!given.success) {
        await file.discard()
        throw given.error
      }
      return reply.code(202).send(await imports.begin(user, { ...given.data, name, file }))
    },
  )

  app.get(
    '/imports',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List the imports',
        description: 'Newest first.',
        tags,
        querystring: importsQuerySchema,
        response: { 200: importsResponseSchema },
      },
    },
    async (request) => imports.list(principalOf(request).user.id, request.query),
  )

  app.get(
    '/imports/:id',
    {
      config: { access: 'user' },
      schema: { summary: 'Read an import', tags, params: idParamsSchema, response: { 200: importSchema } },
    },
    async (request) => imports.get(principalOf(request).user.id, request.params.id),
  )

  app.post(
    '/imports/:id/start',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Bring what was only counted',
        tags,
        params: idParamsSchema,
        response: { 202: importSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const { user } = principalOf(request)
      return reply.code(202).send(await imports.start(user, request.params.id))
    },
  )

  app.post(
    '/imports/:id/source',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Count a file as that of another program',
        description:
          'Of one that was to be counted and is no export of the program that was named: the file is kept for a day (`has_file`), and need not be sent again.',
        tags,
        params: idParamsSchema,
        body: importSourceSchema,
        response: { 202: importSchema },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      const { user } = principalOf(request)
      return reply.code(202).send(await imports.countAs(user, request.params.id, request.body.source))
    },
  )

  app.delete(
    '/imports/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Cancel or undo an import',
        description:
          'One that waits or runs is cancelled and stays listed; of one that is over, all that it brought is deleted, and so is it. Thousands take minutes, in which it is `undoing` and `imported` tells how many are left: the answer waits for them, or for as many seconds as `wait` says, and is 202 with the import then. It goes on when nobody waits.',
        tags,
        params: idParamsSchema,
        querystring: removeImportQuerySchema,
        response: { 202: importSchema, 204: noContentSchema },
      },
    },
    async (request, reply) => {
      const { id: userId } = principalOf(request).user
      const signal = abortWhenCallerLeaves(reply)
      const left = await imports.remove(userId, request.params.id, { waitSeconds: request.query.wait, signal })
      return left === null ? reply.code(204).send() : reply.code(202).send(left)
    },
  )
}
