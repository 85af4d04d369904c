import { z } from 'zod'
import type { Access } from '../access.ts'
import type { TokenScope } from '../constants/accounts.ts'
import type { AuditAction } from '../constants/activity.ts'

/** Method and path below /api, with `:name` in the place of parameters. */
export type RouteKey = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** The parts that the OpenAPI document groups routes under. */
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

/** Limits that the server holds each user to. */
export type UserLimit = 'whole_export' | 'export' | 'import' | 'consent' | 'hook_test' | 'stream'

/** Access to a route, and the work of the server around its handler. */
export interface RoutePolicy {
  /** Callers allowed on the route. A route without it stops the server at start. */
  access: Access
  /** The scope of the personal API tokens that open it, where another one follows from access and method. */
  scope?: TokenScope
  /** Its answer holds stored content: an API token without the scope `read` is answered 204 with nothing instead. */
  answersStored?: boolean
  /** No personal API token opens it: it is about passwords, tokens, accounts, backups or settings. */
  sessionOnly?: boolean
  /** A GET that a path signed for its user opens, too: a file that a browser loads without a header. */
  signed?: boolean
  /** For a public route: identify signed-in callers, since some receive more. */
  tellsCaller?: boolean
  /**
   * Audit action of the route. Routes with changes by administrators need one; a read-only route writes a line if it
   * has one. False where the service writes its line in the transaction of the change.
   */
  audit?: AuditAction | false
  /** Limit per user on this server. */
  bound?: UserLimit
  /** Its body may take as long as it needs, while something arrives. */
  isPatient?: boolean
}

/** One route: its policy, its documentation, and the shape of everything that travels. */
export interface RouteSpec extends RoutePolicy {
  /** Summary in one short sentence without a full stop. */
  summary: string
  /** Additional information for callers; the allowed callers are added from its access. */
  description?: string
  tag: RouteTag
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  bodyLimit?: number
  /** Fields of a body that the route reads as multipart form-data or urlencoded; a file is `z.file()`. */
  form?: z.ZodObject
  /** JSON schema accepted instead of the form; the route validates it. */
  insteadOfForm?: z.ZodType
  /** Bodies by status; errors that aren't listed have the common one. */
  response?: Readonly<Record<number, z.ZodType>>
  /** The answer is `text/event-stream`; each `data:` line is JSON of this. */
  events?: z.ZodType
  /** The answer is a file of one of these content types. */
  file?: string | readonly string[]
  /** The file is answered in ranges, too, and not again where the caller has it (`If-None-Match`). */
  inRanges?: boolean
  /** Descriptions of response headers, by name. */
  answerHeaders?: Readonly<Record<string, string>>
  /** Statuses of errors beyond those that follow from access, parameters and body. */
  errors?: readonly number[]
}

/** Routes by their keys, each with a type of its own. */
export function routes<const Routes extends Record<RouteKey, RouteSpec>>(specs: Routes): Routes {
  return specs
}

/** Response schema of a 204: nothing is sent. */
export const noContentSchema: z.ZodUndefined = z.undefined()

/** `answerHeaders` of a list whose answer is the bare page. */
export const nextCursorHeader = { 'X-Next-Cursor': 'Cursor of the next page; absent at the end' }

/** One part of a route, such as its `query`; undefined where it has none. */
export type PartOf<Spec, Name extends keyof RouteSpec> = Spec extends Record<Name, infer Part> ? Part : undefined
