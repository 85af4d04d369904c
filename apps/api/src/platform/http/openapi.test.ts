import { chatEventSchema, idParamsSchema, userSchema } from '@mira/shared'
import { noContentSchema, type RouteSpec } from '@mira/shared/contract/route'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { documentedRoutes, openApiDocument } from './openapi.ts'

const product = { name: 'Mira', version: '1.2.3' }

function documentOf(specs: Record<string, RouteSpec>) {
  const routes = Object.entries(specs).map(([key, spec]) => {
    const [method = '', path = ''] = key.split(' ')
    return { method, path, access: spec.access, scope: 'read' as const, spec }
  })
  return openApiDocument(routes, product)
}

test('a route is documented with its parameters, required access and all responses', () => {
  const { paths, components } = documentOf({
    'get /api/things/{id}': {
      access: 'chat',
      summary: 'Read a thing',
      description: 'Or not.',
      tag: 'Chat',
      params: idParamsSchema,
      query: z.object({
        limit: z.coerce.number().int().max(9).default(5),
        word: z.string().meta({ description: 'A word' }),
      }),
      response: { 200: userSchema },
      errors: [409],
      responseHeaders: { 'X-Next-Cursor': 'Where the next page begins' },
    },
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
  // Times are strings in JSON.
  const { schemas } = components as { schemas: Record<string, { properties: Record<string, unknown> }> }
  expect(Object.keys(schemas).sort()).toEqual(['Error', 'User'])
  expect(schemas.User?.properties.created_at).toEqual({
    type: 'string',
    format: 'date-time',
    description: 'ISO 8601, UTC',
  })
})

test('streams, forms with files, files and empty responses are described as such', () => {
  const access = 'upload'
  const { paths } = documentOf({
    'post /api/stream': { access, summary: 'a', tag: 'Chat', events: chatEventSchema },
    'post /api/file': {
      access,
      summary: 'b',
      tag: 'Media',
      form: z.object({ file: z.file(), caption: z.string().optional() }),
    },
    'get /api/export': { access, summary: 'c', tag: 'Chat', file: ['text/markdown', 'application/zip'] },
    'delete /api/thing': { access, summary: 'd', tag: 'Chat', response: { 204: noContentSchema } },
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
  expect(paths['/api/thing']?.delete).toMatchObject({ responses: { 204: { description: 'Done, without content' } } })
})

test('flags in queries and forms are booleans, and objects with known keys list them', () => {
  const { paths } = documentOf({
    'post /api/file': {
      ...{ access: 'upload', summary: 'a', tag: 'Media' },
      query: z.object({ exact: z.stringbool().optional(), unread: z.stringbool().default(false) }),
      form: z.object({ file: z.file(), extract_text: z.stringbool().default(true) }),
      response: { 200: z.object({ counts: z.record(z.enum(['a', 'b']), z.int32()) }) },
    },
  })
  const { parameters, requestBody, responses } = JSON.parse(JSON.stringify(paths['/api/file']?.post))
  expect(parameters.map(({ schema }: { schema: unknown }) => schema)).toEqual([
    { type: 'boolean' },
    { type: 'boolean', default: false },
  ])
  const { schema } = requestBody.content['multipart/form-data']
  expect(schema.properties.extract_text).toEqual({ type: 'boolean', default: true })
  const number = { type: 'integer', minimum: -2147483648, maximum: 2147483647 }
  expect(responses[200].content['application/json'].schema.properties.counts).toEqual({
    type: 'object',
    properties: { a: number, b: number },
    required: ['a', 'b'],
  })
})

test('a stored file may have any type, support ranges and be unmodified', () => {
  const { paths } = documentOf({
    'get /api/file': {
      access: 'upload',
      summary: 'a',
      tag: 'Media',
      file: 'application/octet-stream',
      supportsRanges: true,
      userLimit: 'export',
    },
  })
  const content = { schema: { type: 'string', format: 'binary' } }
  expect(paths['/api/file']?.get?.responses).toMatchObject({
    200: { content: { 'application/octet-stream': content, '*/*': content } },
    206: { content: { '*/*': content } },
    304: { description: expect.any(String) },
    416: { $ref: '#/components/responses/OutOfRange' },
    429: { $ref: '#/components/responses/TooMany' },
  })
})

test('routes outside the contract are left out', () => {
  const declared = ['/*', '/apiary', '/v1/models', '/prompts'].map((url) => ({
    method: 'GET',
    url,
    access: 'public' as const,
    scope: null,
    schema: undefined,
  }))
  expect(documentedRoutes(declared)).toEqual([])
  expect(documentedRoutes([{ ...declared[0]!, url: '/api/prompts' }])).toHaveLength(1)
})
