import type { Access, TokenScope } from '@mira/shared'
import * as shared from '@mira/shared'
import { contract } from '@mira/shared/contract'
import type { RouteSpec, RouteTag } from '@mira/shared/contract/route'
import { z } from 'zod'
import type { DeclaredRoute } from './access.ts'

/** Tags that group the routes of the document. */
const tagDescriptions: Record<RouteTag, string> = {
  Start: 'The server and its health.',
  Auth: 'Signing in and out, sessions and personal API tokens.',
  Chat: 'Conversations and streamed answers.',
  Agents: 'Agents for special tasks.',
  Voice: 'Speech to text and text to speech.',
  Media: 'Files and pages that the user has added.',
  'Image effects': 'Effects on pictures, and their results.',
  Dashboard: 'Measured statistics.',
  Events: 'Live events about the user’s data.',
  Notifications: 'Notifications, until the user has read them.',
  Hooks: 'Webhooks for events about the user’s data.',
  Reminders: 'Reminders at a time.',
  Automation: 'Tasks, their schedules and runs, and weekly summaries.',
  'My data': 'Export and deletion of the user’s data.',
  Admin: 'For administrators.',
}

/** A documented route. */
interface DocumentedRoute {
  method: string
  /** With `{name}` for parameters. */
  path: string
  access: Access
  scope: TokenScope | null
  spec: Partial<RouteSpec>
}

type Json = Record<string, unknown>

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument extends Json {
  openapi: string
  paths: Record<string, Record<string, Json>>
}

/** The declared routes that are in the contract. */
export function documentedRoutes(declared: DeclaredRoute[]): DocumentedRoute[] {
  const specs: Record<string, RouteSpec> = contract
  return declared.flatMap(({ method, url, access, scope }) => {
    const spec = url.startsWith('/api/') ? specs[`${method} ${url.slice('/api'.length)}`] : undefined
    if (spec === undefined) return []
    return { method: method.toLowerCase(), path: url.replace(/:(\w+)/g, '{$1}'), access, scope, spec }
  })
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
  401: ['Unauthorized', 'The token is missing, invalid, expired or revoked, or the account is disabled.'],
  403: ['Forbidden', 'The account lacks the permission, or the password that confirms a dangerous action is wrong.'],
  404: ['NotFound', 'It does not exist, or belongs to another user.'],
  409: ['Conflict', 'It conflicts with something that already exists.'],
  412: ['PreconditionFailed', 'A header that the protocol requires is missing or wrong.'],
  413: ['TooLarge', 'The body is larger than the limit.'],
  415: ['UnsupportedType', 'The content type is not supported.'],
  416: ['OutOfRange', 'The file ends before the range begins.'],
  422: ['Invalid', 'The request fails validation; `errors` lists the fields.'],
  423: ['Locked', 'Another request is using it; try again in a moment.'],
  429: ['TooMany', 'Too many requests; try again after `Retry-After` seconds.'],
  500: ['InternalError', 'An unexpected error; it is in the log under the request id.'],
  460: ['ChecksumMismatch', 'The received data does not match its checksum.'],
  503: ['Unavailable', 'A required engine or service is unavailable; `detail` says which one and why.'],
  507: ['StorageFull', 'There is no space left.'],
}

/** Names the contract's objects after their exports (`chatSessionSchema` becomes `ChatSession`). */
function nameComponents(): Map<unknown, string> {
  const names = new Map<unknown, string>()
  for (const [name, value] of Object.entries(shared)) {
    const isNamed = value instanceof z.ZodObject || value instanceof z.ZodDiscriminatedUnion
    if (isNamed && name.endsWith('Schema')) names.set(value, name[0]?.toUpperCase() + name.slice(1, -'Schema'.length))
  }
  return names
}

/** Registry of the schemas' own metadata, plus component names. */
class ComponentRegistry extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  readonly #names = nameComponents()

  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<z.core.GlobalMeta, S> | undefined {
    const meta = z.globalRegistry.get(schema)
    const id = this.#names.get(schema)
    return id === undefined ? meta : ({ ...meta, id } as z.core.$replace<z.core.GlobalMeta, S>)
  }
}

/** Converts zod schemas to JSON schemas of the wire format, collecting named ones as components. */
function createSchemaWriter() {
  const components: Record<string, unknown> = {}
  const metadata = new ComponentRegistry()

  const write = (schema: z.ZodType): Json => {
    const {
      $schema: _dialect,
      $defs,
      ...json
    } = z.toJSONSchema(schema, {
      // wire format: times are strings, fields with a default are optional
      io: 'input',
      metadata,
      override: ({ zodSchema, jsonSchema }) => {
        describeBooleans(zodSchema, jsonSchema)
        listKeys(jsonSchema)
        if (jsonSchema.format === 'binary') delete jsonSchema.contentEncoding
        else if (jsonSchema.format !== undefined) delete jsonSchema.pattern
        delete jsonSchema.id
        // tuples of one type, in a form that every generator supports
        const [item, ...others] = jsonSchema.prefixItems ?? []
        if (item !== undefined) {
          Object.assign(jsonSchema, { items: item, minItems: others.length + 1, maxItems: others.length + 1 })
          delete jsonSchema.prefixItems
        }
      },
    })
    for (const [name, definition] of Object.entries($defs ?? {})) components[name] = pointToComponents(definition)
    return pointToComponents(json) as Json
  }
  return { components, write }
}

/** Describes yes/no strings in queries and forms as booleans. */
function describeBooleans(schema: z.core.$ZodType, jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const [inner, defaultValue] =
    schema instanceof z.ZodDefault ? [schema.def.innerType, schema.def.defaultValue] : [schema, undefined]
  if (!(inner instanceof z.ZodPipe && inner.def.in instanceof z.ZodString && inner.def.out instanceof z.ZodBoolean))
    return
  Object.assign(jsonSchema, { type: 'boolean' }, defaultValue === undefined ? {} : { default: defaultValue })
}

/** Lists the properties of a record with known keys, because generators ignore `propertyNames`. */
function listKeys(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const { propertyNames, additionalProperties, ...rest } = jsonSchema
  const keys = typeof propertyNames === 'object' ? propertyNames.enum : undefined
  if (keys === undefined || typeof additionalProperties !== 'object') return
  delete jsonSchema.propertyNames
  delete jsonSchema.additionalProperties
  Object.assign(jsonSchema, rest, { properties: Object.fromEntries(keys.map((key) => [key, additionalProperties])) })
}

function pointToComponents(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
  )
}

/** Creates the document for these routes. */
export function openApiDocument(
  routes: DocumentedRoute[],
  product: { name: string; version: string },
): OpenApiDocument {
  const { components, write } = createSchemaWriter()
  const errorSchema = write(z.object({ error: shared.errorSchema })).properties as Json
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

  const tokenSentence = ({ access, scope, spec }: DocumentedRoute) => {
    if (access === 'public') return null
    if (scope === null) return 'Personal API tokens are not accepted.'
    const withoutRead = spec.respondsWithContent ? ' Without `read` the response is 204 without content.' : ''
    return `An API token needs the scope \`${scope}\`.${withoutRead}`
  }

  const operation = (route: DocumentedRoute): Json => {
    const { method, path, access, scope, spec } = route
    return {
      operationId: operationId(method, path),
      summary: spec.summary,
      description: [spec.description, [accessSentences[access], tokenSentence(route)].filter(Boolean).join(' ')]
        .filter(Boolean)
        .join('\n\n'),
      tags: spec.tag && [spec.tag],
      'x-access': access,
      ...(access === 'public' ? {} : { 'x-scope': scope }),
      security: access === 'public' ? [] : [{ bearer: [] }],
      parameters: [
        ...parameters('path', spec.params, write),
        ...parameters('query', spec.query, write),
        ...parameters('header', spec.headers, write),
      ],
      ...requestBody(spec, write),
      responses: {
        ...Object.fromEntries(errorStatuses(access, spec).map((status) => [status, errorResponse(status)])),
        ...successResponses(spec, write),
      },
    }
  }

  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) }
  }
  const usedTags = new Set(routes.map(({ spec }) => spec.tag))
  return {
    openapi: '3.1.0',
    info: {
      title: product.name,
      version: product.version,
      description:
        'Everything that the web app does, for scripts. Sign in at `/api/auth/login`, or create a personal API token.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: Object.entries(tagDescriptions)
      .filter(([name]) => usedTags.has(name as RouteTag))
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
  location: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
  write: (schema: z.ZodType) => Json,
) {
  if (schema === undefined) return []
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...json } = write(field as z.ZodType)
    const isRequired = location === 'path' || !(field as z.ZodType).safeParse(undefined).success
    return { name, in: location, required: isRequired, schema: json, ...(description ? { description } : {}) }
  })
}

function requestBody(spec: Partial<RouteSpec>, write: (schema: z.ZodType) => Json): Json {
  if (spec.form !== undefined) {
    const form = { schema: write(spec.form) }
    const hasFile = JSON.stringify(form).includes('"format":"binary"')
    const content = hasFile
      ? { 'multipart/form-data': form }
      : { 'multipart/form-data': form, 'application/x-www-form-urlencoded': form }
    const other = spec.jsonAlternative && { 'application/json': { schema: write(spec.jsonAlternative) } }
    return { requestBody: { required: true, content: { ...content, ...other } } }
  }
  if (spec.body === undefined) return {}
  return { requestBody: { required: true, content: { 'application/json': { schema: write(spec.body) } } } }
}

function successResponses(spec: Partial<RouteSpec>, write: (schema: z.ZodType) => Json): Json {
  const headers =
    spec.responseHeaders === undefined
      ? {}
      : {
          headers: Object.fromEntries(
            Object.entries(spec.responseHeaders).map(([name, description]) => [
              name,
              { description, schema: { type: 'string' } },
            ]),
          ),
        }
  const responses: Json = {}
  if (spec.events !== undefined) {
    const stream = {
      type: 'string',
      description: 'Server-sent events: `id: N`, `data: {json}`, blank; the last is `data: [DONE]`.',
      'x-event-data': write(spec.events),
    }
    responses[200] = {
      description: 'A stream of events',
      ...headers,
      content: { 'text/event-stream': { schema: stream } },
    }
  }
  if (spec.file !== undefined) {
    const types = [spec.file].flat()
    // users' files may have any type
    const declared = types.includes('application/octet-stream') ? [...types, '*/*'] : types
    const content = Object.fromEntries(
      declared.map((type) => [
        type,
        { schema: { type: 'string', ...(type.startsWith('text/') ? {} : { format: 'binary' }) } },
      ]),
    )
    responses[200] = { description: 'The file', ...headers, content }
    if (spec.supportsRanges === true) {
      responses[206] = { description: 'The requested range', content }
      responses[304] = { description: 'Unchanged since the version of `If-None-Match`' }
    }
  }
  for (const [status, schema] of Object.entries(spec.response ?? {})) {
    const description = Number(status) < 400 ? 'Done' : 'Temporarily unavailable'
    responses[status] =
      schema instanceof z.ZodUndefined
        ? { description: 'Done, without content', ...headers }
        : { description, ...headers, content: { 'application/json': { schema: write(schema) } } }
  }
  return responses
}

function errorStatuses(access: Access, spec: Partial<RouteSpec>): number[] {
  const hasBody = spec.body !== undefined || spec.form !== undefined
  const statuses = new Set([500, 503, ...(spec.errors ?? [])])
  if (hasBody) statuses.add(400).add(413)
  if (hasBody || spec.query !== undefined) statuses.add(422)
  if (access !== 'public') statuses.add(401)
  // a token may lack the scope
  if (access !== 'public') statuses.add(403)
  if (spec.params !== undefined) statuses.add(404)
  if (spec.supportsRanges === true) statuses.add(416)
  if (spec.userLimit !== undefined) statuses.add(429)
  return [...statuses].sort((a, b) => a - b)
}
