import { chatEventSchema, idParamsSchema, userSchema } from '@mira/shared'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { collectRoutes, noContentSchema, openApiDocument } from './openapi.ts'

async function documentOf(register: (app: ReturnType<typeof Fastify>) => void) {
  const app = Fastify()
  const routes = collectRoutes(app)
  register(app)
  await app.ready()
  await app.close()
  return openApiDocument(routes, { name: 'Mira', version: '1.2.3' })
}

const answer = async () => undefined

test('a route is shown with its parameters, who may call it, and every way it can end', async () => {
  const { paths, components } = await documentOf((app) => {
    app.get(
      '/api/things/:id',
      {
        config: { access: 'chat' },
        schema: {
          summary: 'Read a thing',
          description: 'Or not.',
          tags: ['Chat'],
          params: idParamsSchema,
          querystring: z.object({
            limit: z.coerce.number().int().max(9).default(5),
            word: z.string().meta({ description: 'A word' }),
          }),
          response: { 200: userSchema },
          errors: [409],
          answerHeaders: { 'X-Next-Cursor': 'Where the next page begins' },
        },
        // the document is all that is looked at here
        validatorCompiler: () => () => true,
        serializerCompiler: () => () => '',
      },
      answer,
    )
  })
  expect(Object.keys(paths)).toEqual(['/api/things/{id}'])
  const operation = paths['/api/things/{id}']?.get
  expect(operation).toMatchObject({
    operationId: 'getThingsId',
    summary: 'Read a thing',
    description: 'Or not.\n\nNeeds the permission to chat. An API token needs the scope `read`.',
    tags: ['Chat'],
    'x-access': 'chat',
    'x-scope': 'read',
    security: [{ bearer: [] }],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 9, default: 5 } },
      { name: 'word', in: 'query', required: true, description: 'A word', schema: { type: 'string' } },
    ],
  })
  const responses = operation?.responses as Record<string, unknown>
  expect(Object.keys(responses)).toEqual(['200', '401', '403', '404', '409', '422', '500', '503'])
  expect(responses[200]).toEqual({
    description: 'Done',
    headers: { 'X-Next-Cursor': { description: 'Where the next page begins', schema: { type: 'string' } } },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
  })
  expect(responses[404]).toEqual({ $ref: '#/components/responses/NotFound' })
  // times are text on the wire
  const { schemas } = components as { schemas: Record<string, { properties: Record<string, unknown> }> }
  expect(Object.keys(schemas).sort()).toEqual(['Error', 'User'])
  expect(schemas.User?.properties.created_at).toEqual({
    type: 'string',
    format: 'date-time',
    description: 'ISO 8601, UTC',
  })
})

test('streams, forms with files, files and empty answers are described as what they are', async () => {
  const { paths } = await documentOf((app) => {
    const config = { access: 'upload' } as const
    app.post('/api/stream', { config, schema: { summary: 'a', tags: ['Chat'], events: chatEventSchema } }, answer)
    app.post(
      '/api/file',
      {
        config,
        schema: { summary: 'b', tags: ['Media'], form: z.object({ file: z.file(), caption: z.string().optional() }) },
      },
      answer,
    )
    app.get(
      '/api/export',
      { config, schema: { summary: 'c', tags: ['Chat'], file: ['text/markdown', 'application/zip'] } },
      answer,
    )
    app.delete(
      '/api/thing',
      {
        config,
        schema: { summary: 'd', tags: ['Chat'], response: { 204: noContentSchema } },
        serializerCompiler: () => () => '',
      },
      answer,
    )
  })
  expect(paths['/api/stream']?.post).toMatchObject({
    responses: {
      200: {
        content: { 'text/event-stream': { schema: { 'x-event-data': { $ref: '#/components/schemas/ChatEvent' } } } },
      },
    },
  })
  expect(paths['/api/file']?.post?.requestBody).toEqual({
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { type: 'string', format: 'binary' }, caption: { type: 'string' } },
          required: ['file'],
        },
      },
    },
  })
  expect(paths['/api/export']?.get).toMatchObject({
    responses: {
      200: {
        content: {
          'text/markdown': { schema: { type: 'string' } },
          'application/zip': { schema: { type: 'string', format: 'binary' } },
        },
      },
    },
  })
  expect(paths['/api/thing']?.delete).toMatchObject({ responses: { 204: { description: 'Done; nothing is sent' } } })
})

test('what is not under /api is left out', async () => {
  const { paths } = await documentOf((app) => {
    app.get('/*', { config: { access: 'public' } }, answer)
    app.get('/apiary', { config: { access: 'public' } }, answer)
  })
  expect(paths).toEqual({})
})
