import type { Access, TokenScope } from '@mira/shared'
import type { OpenApiDocument } from '../src/http/openapi.ts'

type Json = Record<string, unknown>

/** A route as the API's document describes it. */
export interface DocumentRoute {
  /** As the access table names it: `GET /api/things/:id`. */
  name: string
  method: string
  /** With `{id}` where an id stands. */
  path: string
  access: Access
  /** What an API token needs; null where none is let in. */
  scope: TokenScope | null
  parameters: { name: string; in: string; schema: Json }[]
  /** Type and schema of what is sent; null for no body. */
  body: { type: string; schema: Json } | null
  /** What it answers with when it goes well. */
  answers: string[]
}

/** Every route of the document. */
export function documentRoutes(document: OpenApiDocument): DocumentRoute[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]): DocumentRoute => {
      const content = ((operation.requestBody as Json | undefined)?.content ?? {}) as Record<string, { schema: Json }>
      const [type] = Object.keys(content)
      const answer = Object.entries(operation.responses as Record<string, Json>).find(([status]) => status < '300')
      return {
        name: `${verb.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
        ...{ method: verb.toUpperCase(), path },
        access: operation['x-access'] as Access,
        scope: (operation['x-scope'] ?? null) as TokenScope | null,
        parameters: (operation.parameters ?? []) as DocumentRoute['parameters'],
        body: type === undefined ? null : { type, schema: content[type]?.schema ?? {} },
        answers: Object.keys((answer?.[1].content ?? {}) as Json),
      }
    }),
  )
}
