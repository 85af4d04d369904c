import { z } from 'zod'
import type { Access } from '../access.ts'
import type { TokenScope } from '../constants/accounts.ts'
import type { AuditAction } from '../constants/activity.ts'

/** Method and path below /api, with `:name` for parameters. */
export type RouteKey = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** Tags that group routes in the OpenAPI document. */
export type RouteTag =
  | 'Start'
  | 'Auth'
  | 'Chat'
  | 'Agents'
  | 'Voice'
  | 'Media'
  | 'Image effects'
  | 'Dashboard'
  | 'Events'
  | 'Notifications'
  | 'Hooks'
  | 'Reminders'
  | 'Automation'
  | 'My data'
  | 'Admin'

/** Names of the server's limits per user. */
export type UserLimit = 'whole_export' | 'export' | 'import' | 'consent' | 'hook_test' | 'stream'

/** Access to a route, and the server's work around its handler. */
export interface RoutePolicy {
  /** Callers allowed on the route. The server doesn't start with a route that lacks it. */
  access: Access
  /** Scope that a personal API token needs; by default, it follows from access and method. */
  scope?: TokenScope
  /** True when the response contains stored content. An API token without the scope `read` then gets an empty 204 instead. */
  respondsWithContent?: boolean
  /** Refuse personal API tokens: for passwords, tokens, accounts, backups, settings, and anything that would outlive a token. */
  sessionOnly?: boolean
  /** Accept a signed path as well, for files that a browser loads without an Authorization header (GET only). */
  signed?: boolean
  /** For a public route: identify signed-in callers, since some receive more. */
  identifiesCaller?: boolean
  /**
   * Action that the audit log records for a call. Required for routes with which administrators change something; other routes
   * are only logged if they have one. False when the service itself writes the entry, in the transaction of the change.
   */
  audit?: AuditAction | false
  /** Limit per user on this server. */
  userLimit?: UserLimit
  /** Read the body without a time limit as long as bytes keep arriving. */
  hasNoBodyTimeout?: boolean
}

/** One route: its policy, its documentation, and the schemas of requests and responses. */
export interface RouteSpec extends RoutePolicy {
  /** Summary in one short sentence without a full stop. */
  summary: string
  /** Additional information for callers; sentences about access and scopes are added. */
  description?: string
  tag: RouteTag
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  bodyLimit?: number
  /** Fields of a multipart or urlencoded body; a file is `z.file()`. */
  form?: z.ZodObject
  /** JSON body accepted instead of the form; validated by the route itself. */
  jsonAlternative?: z.ZodType
  /** Response bodies by status; unlisted errors have the common error body. */
  response?: Readonly<Record<number, z.ZodType>>
  /** The response is `text/event-stream`; each `data:` line is JSON of this schema. */
  events?: z.ZodType
  /** The response is a file of one of these content types. */
  file?: string | readonly string[]
  /** Supports range requests, and 304 for `If-None-Match`. */
  supportsRanges?: boolean
  /** Descriptions of response headers, by name. */
  responseHeaders?: Readonly<Record<string, string>>
  /** Error statuses besides those that follow from access, parameters and body. */
  errors?: readonly number[]
}

/** Checks routes without widening their types. */
export function routes<const Routes extends Record<RouteKey, RouteSpec>>(specs: Routes): Routes {
  return specs
}

/** Response schema of a 204, which has no body. */
export const noContentSchema: z.ZodUndefined = z.undefined()

/** `responseHeaders` of a list whose body is a bare array. */
export const nextCursorHeader = { 'X-Next-Cursor': 'Cursor of the next page; absent at the end' }

/** Type of one field of a route's specification, such as its `query`; undefined if the route doesn't have it. */
export type PartOf<Spec, Name extends keyof RouteSpec> = Spec extends Record<Name, infer Part> ? Part : undefined
