import type { Access, TokenScope } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import type { ZodType } from 'zod'
import { type OpenApiDocument, openApiDocument } from '../src/platform/http/openapi.ts'

type Json = Record<string, unknown>

/** A route as the OpenAPI document describes it. */
export interface DocumentRoute {
  /** As the access table names it: `GET /api/things/:id`. */
  name: string
  method: string
  /** With placeholders: `/api/things/{id}`. */
  path: string
  access: Access
  /** Scope that an API token needs; null when tokens aren't allowed. */
  scope: TokenScope | null
  parameters: { name: string; in: string; schema: Json }[]
  /** Content type and schema of the request body; null for none. */
  body: { type: string; schema: Json } | null
  /** Content types of successful responses. */
  responseTypes: string[]
}

/** Every route of the document. */
export function documentRoutes(document: OpenApiDocument): DocumentRoute[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]): DocumentRoute => {
      const content = ((operation.requestBody as Json | undefined)?.content ?? {}) as Record<string, { schema: Json }>
      const [type] = Object.keys(content)
      const success = Object.entries(operation.responses as Record<string, Json>).find(([status]) => status < '300')
      return {
        name: `${verb.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
        ...{ method: verb.toUpperCase(), path },
        access: operation['x-access'] as Access,
        scope: (operation['x-scope'] ?? null) as TokenScope | null,
        parameters: (operation.parameters ?? []) as DocumentRoute['parameters'],
        body: type === undefined ? null : { type, schema: content[type]?.schema ?? {} },
        responseTypes: Object.keys((success?.[1].content ?? {}) as Json),
      }
    }),
  )
}

const string = { type: 'string' }
/** Bodies that routes for other programs parse themselves, as their protocols specify. */
const protocolBodies: Record<string, NonNullable<DocumentRoute['body']>> = {
  'POST /v1/audio/transcriptions': {
    type: 'multipart/form-data',
    schema: {
      type: 'object',
      properties: { file: { ...string, format: 'binary' }, model: string, language: string, response_format: string },
    },
  },
  'POST /oauth/register': {
    type: 'application/json',
    schema: {
      type: 'object',
      properties: { client_name: string, client_uri: string, redirect_uris: { type: 'array', items: string } },
    },
  },
  'POST /oauth/token': {
    type: 'application/x-www-form-urlencoded',
    schema: {
      type: 'object',
      properties: {
        ...{ grant_type: { enum: ['authorization_code', 'refresh_token'] }, client_id: string, code: string },
        ...{ code_verifier: string, redirect_uri: string, refresh_token: string, resource: string },
      },
    },
  },
  'POST /oauth/revoke': {
    type: 'application/x-www-form-urlencoded',
    schema: { type: 'object', properties: { token: string, client_id: string } },
  },
  'POST /mcp': {
    type: 'application/json',
    schema: {
      type: 'object',
      properties: {
        jsonrpc: { const: '2.0' },
        id: { type: 'integer' },
        method: { enum: ['initialize', 'tools/list', 'tools/call', 'resources/read', 'ping'] },
        params: {
          type: 'object',
          properties: {
            name: { enum: ['search_memory', 'get_passage', 'get_item', 'list_items', 'ask', 'add_note', 'remind'] },
            uri: string,
            protocolVersion: string,
            capabilities: { type: 'object' },
            arguments: {
              type: 'object',
              properties: {
                query: string,
                id: string,
                title: string,
                text: string,
                at: string,
                limit: { type: 'integer' },
              },
            },
          },
        },
      },
    },
  },
}

/**
 * Routes for programs that use another protocol (/v1, /mcp and OAuth), which the OpenAPI document leaves to their specifications:
 * as declared, with the bodies of those specifications.
 */
export function programRoutes({ declaredRoutes }: Pick<FastifyInstance, 'declaredRoutes'>): {
  routes: DocumentRoute[]
  document: OpenApiDocument
} {
  const declared = declaredRoutes
    .filter(
      ({ method, url }) => /^\/(v1|mcp|oauth|\.well-known)(\/|$)/.test(url) && !['HEAD', 'OPTIONS'].includes(method),
    )
    .map(({ method, url, access, scope, schema }) => {
      const path = url.replace('*', '{rest}')
      const documented = { path, access, scope, spec: { body: schema?.body as ZodType | undefined } }
      return { method: method.toLowerCase(), ...documented }
    })
  const document = openApiDocument(declared, { name: 'programs', version: '1' })
  const routes = documentRoutes(document).map((route) => {
    const name = route.name.replace(':rest', '*')
    return { ...route, name, body: protocolBodies[name] ?? route.body }
  })
  return { routes, document }
}
