import type { Access, TokenScope } from '@mira/shared'
import * as contract from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { neededScope } from './access.ts'

/** The parts that the document groups routes under. */
const tagDescriptions = {
  Start: 'What the server is and whether it works.',
  Auth: 'Signing in and out, sessions and personal API tokens.',
  Chat: 'Conversations and their answers as they are made.',
  Agents: 'Agents for special tasks.',
  Voice: 'Speech to text and text to speech.',
  Media: 'What the user has shown to the assistant.',
  'Image effects': 'Effects on pictures, and what they made.',
  Dashboard: 'Figures, all measured.',
  Events: 'What happens to the user’s things, as it happens.',
  Notifications: 'What the user is told of until they have read it.',
  Hooks: 'Addresses that are told what happens to the user’s things.',
  Reminders: 'What the user wants to be told of at a time.',
  Automation: 'What runs by itself: tasks, their schedules and runs, and the summaries of weeks.',
  'My data': 'What the user takes along of theirs, and deletes.',
  Admin: 'For administrators.',
} as const

/** One of the parts that the document groups routes under. */
export type RouteTag = keyof typeof tagDescriptions

declare module 'fastify' {
  interface FastifySchema {
    /** Summary in one short sentence without a full stop. */
    summary?: string
    /** Additional information for callers; the allowed callers are added from its access. */
    description?: string
    tags?: [RouteTag]
    /** The answer is `text/event-stream`; each `data:` line is JSON of this. */
    events?: z.ZodType
    /** Fields of a body that the route reads as multipart form-data or urlencoded; a file is `z.file()`. */
    form?: z.ZodObject
    /** JSON schema accepted instead of the form; the route validates it. */
    insteadOfForm?: z.ZodType
    /** The answer is a file of one of these content types. */
    file?: string | string[]
    /** Descriptions of response headers, by name. */
    answerHeaders?: Record<string, string>
    /** Statuses of errors beyond those that follow from access, parameters and body. */
    errors?: number[]
  }
}

/** Response schema of a 204: nothing is sent. */
export const noContentSchema: z.ZodUndefined = z.undefined()

/** `answerHeaders` of a list whose answer is the bare page. */
export const nextCursorHeader = { 'X-Next-Cursor': 'Cursor of the next page; absent at the end' }

/** A route as the document shows it. */
export interface DocumentedRoute {
  method: string
  /** With `{name}` in the place of parameters. */
  path: string
  access: Access
  scope: TokenScope | null
  answersStored: boolean
  schema: RouteSchema
}

/** Documentation of a route. */
export interface RouteSchema {
  summary?: string
  description?: string
  tags?: string[]
  params?: z.ZodObject
  querystring?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  response?: Record<string, z.ZodType>
  events?: z.ZodType
  form?: z.ZodObject
  insteadOfForm?: z.ZodType
  file?: string | string[]
  answerHeaders?: Record<string, string>
  errors?: number[]
}

type Json = Record<string, unknown>

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Json {
  openapi: string
  paths: Record<string, Record<string, Json>>
}

/** Gathers every route under /api that is registered after this call. */
export function collectRoutes(app: FastifyInstance): DocumentedRoute[] {
  const routes: DocumentedRoute[] = []
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    if (!url.startsWith('/api/')) return
    const access = config?.access ?? 'admin'
    for (const verb of [method].flat()) {
      if (verb === 'HEAD' || verb === 'OPTIONS') continue
      routes.push({
        method: verb.toLowerCase(),
        path: url.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1'),
        access,
        scope: neededScope(verb, { ...config, access }),
        answersStored: config?.answersStored === true,
        schema: (schema ?? {}) as RouteSchema,
      })
    }
  })
  return routes
}

const accessSentences: Record<Access, string> = {
  public: 'Anyone may call this.',
  user: 'Anyone who is signed in may call this.',
  chat: 'Needs the permission to chat.',
  upload: 'Needs the permission to upload.',
  voice: 'Needs the permission to use voice.',
  agents: 'Needs the permission to use agents.',
  analytics: 'For administrators and those who may use agents.',
  admin: 'For administrators.',
}

const errorResponses: Record<number, [name: string, description: string]> = {
  400: ['Malformed', 'The request is malformed.'],
  401: ['Unauthorized', 'No, an invalid, an expired or a revoked token, or a disabled account.'],
  403: ['Forbidden', 'The account lacks the permission, or a password given for a dangerous act is wrong.'],
  404: ['NotFound', 'It is not there, or belongs to somebody else.'],
  409: ['Conflict', 'What is there already stands in the way.'],
  412: ['PreconditionFailed', 'A header that the protocol asks for is missing or wrong.'],
  413: ['TooLarge', 'The body is larger than the limit.'],
  415: ['UnsupportedType', 'The content is of a type that is not supported.'],
  422: ['Invalid', 'The request fails validation; `errors` says which fields.'],
  429: ['TooMany', 'Too many; come back after `Retry-After` seconds.'],
  500: ['InternalError', 'An unexpected error; the log has it under the request id.'],
  460: ['ChecksumMismatch', 'What arrived is not what its checksum says.'],
  503: ['Unavailable', 'A needed engine or service is not there; `detail` says which and why.'],
  507: ['StorageFull', 'There is no room left.'],
}

/** Names the contract's objects after their exports (`chatSessionSchema` becomes `ChatSession`). */
function nameComponents(): Map<unknown, string> {
  const names = new Map<unknown, string>()
  for (const [name, value] of Object.entries(contract)) {
    const isNamed = value instanceof z.ZodObject || value instanceof z.ZodDiscriminatedUnion
    if (isNamed && name.endsWith('Schema')) names.set(value, name[0]?.toUpperCase() + name.slice(1, -'Schema'.length))
  }
  return names
}

/** Keeps what schemas say of themselves (descriptions), and adds the names of components. */
class ComponentRegistry extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  readonly #names = nameComponents()

  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<z.core.GlobalMeta, S> | undefined {
    const meta = z.globalRegistry.get(schema)
    const id = this.#names.get(schema)
    return id === undefined ? meta : ({ ...meta, id } as z.core.$replace<z.core.GlobalMeta, S>)
  }
}

/** Turns zod schemas into JSON schemas of the wire, collecting named ones as components. */
function createSchemaWriter() {
  const components: Record<string, unknown> = {}
  const metadata = new ComponentRegistry()

  const write = (schema: z.ZodType): Json => {
    const {
      $schema: _dialect,
      $defs,
      ...json
    } = z.toJSONSchema(schema, {
      // what travels: times are text, fields with a default may be left out
      io: 'input',
      metadata,
      override: ({ jsonSchema }) => {
        if (jsonSchema.format === 'binary') delete jsonSchema.contentEncoding
        else if (jsonSchema.format !== undefined) delete jsonSchema.pattern
        delete jsonSchema.id
        // places of one kind, told in a way that every reader knows
        const [place, ...others] = jsonSchema.prefixItems ?? []
        if (place !== undefined) {
          Object.assign(jsonSchema, { items: place, minItems: others.length + 1, maxItems: others.length + 1 })
          delete jsonSchema.prefixItems
        }
      },
    })
    for (const [name, definition] of Object.entries($defs ?? {})) components[name] = pointToComponents(definition)
    return pointToComponents(json) as Json
  }
  return { components, write }
}

function pointToComponents(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
  )
}

/** Writes the document of these routes. */
export function openApiDocument(
  routes: DocumentedRoute[],
  product: { name: string; version: string },
): OpenApiDocument {
  const { components, write } = createSchemaWriter()
  const errorSchema = write(z.object({ error: contract.errorSchema })).properties as Json
  const responses: Record<string, Json> = {}

  const errorResponse = (status: number): Json => {
    const [name, description] = errorResponses[status] ?? [`Error${status}`, 'An error.']
    responses[name] ??= {
      description,
      ...(status === 429
        ? { headers: { 'Retry-After': { description: 'Whole seconds', schema: { type: 'integer' } } } }
        : {}),
      content: { 'application/json': { schema: errorSchema.error } },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  const tokenSentence = ({ access, scope, answersStored }: DocumentedRoute) => {
    if (access === 'public') return null
    if (scope === null) return 'A personal API token does not open it.'
    const withoutRead = answersStored ? ' Without `read` it is answered 204 with nothing.' : ''
    return `An API token needs the scope \`${scope}\`.${withoutRead}`
  }

  const operation = (route: DocumentedRoute): Json => {
    const { method, path, access, scope, schema } = route
    return {
      operationId: operationId(method, path),
      summary: schema.summary,
      description: [schema.description, [accessSentences[access], tokenSentence(route)].filter(Boolean).join(' ')]
        .filter(Boolean)
        .join('\n\n'),
      tags: schema.tags,
      'x-access': access,
      ...(access === 'public' ? {} : { 'x-scope': scope }),
      security: access === 'public' ? [] : [{ bearer: [] }],
      parameters: [
        ...parameters('path', schema.params, write),
        ...parameters('query', schema.querystring, write),
        ...parameters('header', schema.headers, write),
      ],
      ...requestBody(schema, write),
      responses: {
        ...successResponses(schema, write),
        ...Object.fromEntries(errorStatuses(access, schema).map((status) => [status, errorResponse(status)])),
      },
    }
  }

  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  }
  const usedTags = new Set(routes.flatMap(({ schema }) => schema.tags ?? []))
  return {
    openapi: '3.1.0',
    info: {
      title: product.name,
      version: product.version,
      description:
        'Everything that the web app does, for scripts. Sign in at `/api/auth/login`, or make a personal API token.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: Object.entries(tagDescriptions)
      .filter(([name]) => usedTags.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components,
      responses,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token from /api/auth/login or a personal API token.',
        },
      },
    },
  }
}

/** get /api/chat/sessions/{id}/stream → getChatSessionsIdStream */
function operationId(method: string, path: string): string {
  const words = path.replace('/api/', '').split(/[^A-Za-z0-9]+/)
  return method + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('')
}

function parameters(
  place: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
  write: (schema: z.ZodType) => Json,
) {
  if (schema === undefined) return []
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...json } = write(field as z.ZodType)
    const isRequired = place === 'path' || !(field as z.ZodType).safeParse(undefined).success
    return { name, in: place, required: isRequired, schema: json, ...(description ? { description } : {}) }
  })
}

function requestBody(schema: RouteSchema, write: (schema: z.ZodType) => Json): Json {
  if (schema.form !== undefined) {
    const form = { schema: write(schema.form) }
    const hasFile = JSON.stringify(form).includes('"format":"binary"')
    const content = hasFile
      ? { 'multipart/form-data': form }
      : { 'multipart/form-data': form, 'application/x-www-form-urlencoded': form }
    const other = schema.insteadOfForm && { 'application/json': { schema: write(schema.insteadOfForm) } }
    return { requestBody: { required: true, content: { ...content, ...other } } }
  }
  if (schema.body === undefined) return {}
  return { requestBody: { required: true, content: { 'application/json': { schema: write(schema.body) } } } }
}

function successResponses(schema: RouteSchema, write: (schema: z.ZodType) => Json): Json {
  const headers =
    schema.answerHeaders === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(schema.answerHeaders).map(([name, description]) => [
              name,
              { description, schema: { type: 'string' } },
            ]),
          ),
        }
  const answers: Json = {}
  if (schema.events !== undefined) {
    const stream = {
      type: 'string',
      description: 'Server-sent events: `id: N`, `data: {json}`, blank; the last is `data: [DONE]`.',
      'x-event-data': write(schema.events),
    }
    answers[200] = {
      description: 'A stream of events',
      ...headers,
      content: { 'text/event-stream': { schema: stream } },
    }
  }
  if (schema.file !== undefined) {
    const content = Object.fromEntries(
      [schema.file]
        .flat()
        .map((type) => [
          type,
          { schema: { type: 'string', ...(type.startsWith('text/') ? {} : { format: 'binary' }) } },
        ]),
    )
    answers[200] = { description: 'The file', ...headers, content }
  }
  for (const [status, answer] of Object.entries(schema.response ?? {})) {
    answers[status] =
      answer instanceof z.ZodUndefined
        ? { description: 'Done; nothing is sent', ...headers }
        : { description: 'Done', ...headers, content: { 'application/json': { schema: write(answer) } } }
  }
  return answers
}

function errorStatuses(access: Access, schema: RouteSchema): number[] {
  const hasBody = schema.body !== undefined || schema.form !== undefined
  const statuses = new Set([500, 503, ...(schema.errors ?? [])])
  if (hasBody) statuses.add(400).add(413)
  if (hasBody || schema.querystring !== undefined) statuses.add(422)
  if (access !== 'public') statuses.add(401)
  // a token may lack the scope
  if (access !== 'public') statuses.add(403)
  if (schema.params !== undefined) statuses.add(404)
  return [...statuses].sort((a, b) => a - b)
}
