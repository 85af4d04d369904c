import { z } from 'zod'
import { programScopes } from './constants/scopes.ts'
import { idSchema, pageQuerySchema, timestampSchema } from './timestamp.ts'

const PARAMETER_MAX_CHARACTERS = 4000
const parameterSchema = z.string().max(PARAMETER_MAX_CHARACTERS, {
  error: `Use at most ${PARAMETER_MAX_CHARACTERS} characters.`,
})
const programScopeSchema = z.enum(programScopes)

/** Query of /oauth/authorize from a program; its protocol validates the values. */
export const authorizationQuerySchema = z.object({
  client_id: parameterSchema.optional(),
  redirect_uri: parameterSchema.optional(),
  response_type: parameterSchema.optional(),
  scope: parameterSchema.optional(),
  state: parameterSchema.optional(),
  code_challenge: parameterSchema.optional(),
  code_challenge_method: parameterSchema.optional(),
  resource: parameterSchema.optional(),
})
export type AuthorizationQuery = z.output<typeof authorizationQuerySchema>

/** GET /oauth/consent: who asks for what. */
export const consentQuestionSchema = z.object({
  client_name: z.string(),
  /** The host whose document describes the program; null for one that described itself. */
  client_host: z.string().nullable(),
  redirect_uri: z.string(),
  scopes: z.array(programScopeSchema),
})
export type ConsentQuestion = z.output<typeof consentQuestionSchema>
export type ConsentQuestionJson = z.input<typeof consentQuestionSchema>

/** POST /oauth/consent: what the person says to it; `scopes` may leave out some of those that were asked for. */
export const consentSchema = authorizationQuerySchema.extend({
  agreed: z.boolean(),
  scopes: z.array(programScopeSchema).default([]),
})
export type ConsentJson = z.input<typeof consentSchema>

/** Address for the browser after consent. */
export const consentResponseSchema = z.object({ redirect_to: z.string() })
export type ConsentResponse = z.output<typeof consentResponseSchema>

/** A program that a person let in. */
export const programSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** Redirect address at the time of consent. */
  redirect_uri: z.string(),
  scopes: z.array(programScopeSchema),
  created_at: timestampSchema,
  last_used_at: timestampSchema.nullable(),
})
export type Program = z.output<typeof programSchema>
export type ProgramJson = z.input<typeof programSchema>

/** GET /me/programs: newest first. */
export const programsQuerySchema = pageQuerySchema
export const programsResponseSchema = z.object({
  programs: z.array(programSchema),
  next_cursor: z.string().nullable(),
})
export type ProgramsResponse = z.output<typeof programsResponseSchema>
export type ProgramsResponseJson = z.input<typeof programsResponseSchema>
