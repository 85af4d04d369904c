import { z } from 'zod'
import { accessItemKinds, programScopes, themeChoices } from './constants/accounts.ts'
import { languages } from './constants/languages.ts'
import {
  FACT_MAX_CHARACTERS,
  FACT_SOURCE_MAX_CHARACTERS,
  INSTRUCTIONS_MAX_CHARACTERS,
  MODEL_NAME_MAX_CHARACTERS,
  PASSWORD_FIELD_MAX_CHARACTERS,
} from './constants/limits.ts'
import { idSchema, pageQuerySchema } from './ids-and-pages.ts'
import { signedFileQuerySchema } from './media.ts'
import { timestampSchema } from './timestamp.ts'

const instructionSchema = z
  .string()
  .trim()
  .max(INSTRUCTIONS_MAX_CHARACTERS, { error: `Write at most ${INSTRUCTIONS_MAX_CHARACTERS} characters.` })

/** GET and PATCH /me/instructions: the user's instructions for all conversations. */
export const instructionsSchema = z.object({
  /** Facts about the user for the assistant; empty for none. */
  about_me: z.string(),
  /** Preferred style and form of answers; empty for none. */
  how_to_answer: z.string(),
  /** Use remembered facts in conversations and propose new ones. */
  uses_facts: z.boolean(),
})
export type Instructions = z.infer<typeof instructionsSchema>

/** A partial update: missing fields stay unchanged. */
export const updateInstructionsSchema = z.strictObject({
  about_me: instructionSchema.optional(),
  how_to_answer: instructionSchema.optional(),
  uses_facts: z.boolean().optional(),
})
export type UpdateInstructions = z.infer<typeof updateInstructionsSchema>

/** A remembered fact about the user. */
export const factSchema = z.object({
  id: z.uuid(),
  text: z.string(),
  /** Origin. person: entered by the user; chat: approved in a conversation; otherwise the value sent by the program that added it. */
  source: z.string(),
  /** Conversation in which the fact was remembered; null when there is none or it was deleted. */
  session: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
})
export type Fact = z.output<typeof factSchema>
export type FactJson = z.input<typeof factSchema>

export const factTextSchema = z
  .string()
  .trim()
  .min(1, { error: 'Write what to remember.' })
  .max(FACT_MAX_CHARACTERS, { error: `Write at most ${FACT_MAX_CHARACTERS} characters.` })
const factSourceSchema = z.string().trim().min(1).max(FACT_SOURCE_MAX_CHARACTERS)

/** POST /me/facts. */
export const createFactSchema = z.strictObject({ text: factTextSchema, source: factSourceSchema.default('person') })
export type CreateFact = z.output<typeof createFactSchema>

/** PATCH /me/facts/{id}: omitted fields stay unchanged. */
export const updateFactSchema = z.strictObject({
  text: factTextSchema.optional(),
  source: factSourceSchema.optional(),
})
export type UpdateFact = z.output<typeof updateFactSchema>

/** GET /me/facts: newest first. */
export const factsQuerySchema = pageQuerySchema.extend({
  /** Text that the facts must contain. */
  query: z.string().trim().max(FACT_MAX_CHARACTERS).optional(),
})
export type FactsQuery = z.output<typeof factsQuerySchema>
export const factsResponseSchema = z.object({
  facts: z.array(factSchema),
  next_cursor: z.string().nullable(),
  /** Number of matching facts on all pages. */
  total: z.number().int(),
})
export type FactsResponse = z.output<typeof factsResponseSchema>
export type FactsResponseJson = z.input<typeof factsResponseSchema>

/** IANA time zone name. */
export const timeZoneSchema = z
  .string()
  .max(100)
  // offsets such as +01:00 are left out: PostgreSQL reads them with the opposite sign
  .regex(/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/, { error: 'must be an IANA time zone such as Europe/Berlin' })
  .refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Berlin' })

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** GET and PATCH /me/preferences: the user's preferences for all devices. */
export const preferencesSchema = z.object({
  /** Null for the language of each device's browser; null has the same meaning for the time zone and the theme. */
  language: z.enum(languages).nullable(),
  /** IANA name of the time zone. */
  time_zone: z.string().nullable(),
  theme: z.enum(themeChoices).nullable(),
  /** Model of new conversations in the web app; null for the instance's default. */
  model: z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullable(),
  /** Allow answers rated up by the user in training sets of this instance. */
  shares_answers: z.boolean(),
  /** Hide the list of first steps, which the user has dismissed. */
  hides_first_steps: z.boolean(),
  /** Keep the location in pictures uploaded in the web app. */
  keeps_places: z.boolean(),
})
export type Preferences = z.infer<typeof preferencesSchema>

/** A partial update: missing fields stay unchanged. */
export const updatePreferencesSchema = z.strictObject({
  ...preferencesSchema.partial().shape,
  time_zone: timeZoneSchema.nullable().optional(),
})
export type UpdatePreferences = z.infer<typeof updatePreferencesSchema>

const PARAMETER_MAX_CHARACTERS = 4000
const parameterSchema = z.string().max(PARAMETER_MAX_CHARACTERS, {
  error: `Use at most ${PARAMETER_MAX_CHARACTERS} characters.`,
})
const programScopeSchema = z.enum(programScopes)

/** Query that a program (an OAuth client) sends to /oauth/authorize. The values are validated later, as OAuth specifies. */
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

/** GET /oauth/consent: the requesting program and its requested scopes. */
export const consentQuestionSchema = z.object({
  client_name: z.string(),
  /** Host of the program's client metadata document; null for a program that registered itself. */
  client_host: z.string().nullable(),
  redirect_uri: z.string(),
  scopes: z.array(programScopeSchema),
})
export type ConsentQuestion = z.output<typeof consentQuestionSchema>
export type ConsentQuestionJson = z.input<typeof consentQuestionSchema>

/** POST /oauth/consent: the user's decision; `scopes` may be fewer than requested. */
export const consentSchema = authorizationQuerySchema.extend({
  agreed: z.boolean(),
  scopes: z.array(programScopeSchema).default([]),
})

/** URL to which the browser goes after the decision. */
export const consentResponseSchema = z.object({ redirect_to: z.string() })

/** A program with access to the user's account. */
export const programSchema = z.object({
  id: idSchema,
  name: z.string(),
  /** Redirect URI for which the user consented. */
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

/** Something that has access to the caller's account or receives its data, such as a session, a token or a webhook. */
export const accessItemSchema = z.object({
  kind: z.enum(accessItemKinds),
  id: z.uuid(),
  /** Name, browser, issuer or title, depending on the kind; may be empty. */
  name: z.string(),
  created_at: timestampSchema,
  last_used_at: timestampSchema.nullable(),
  /** True after a restore, until the caller confirms the item; it doesn't work meanwhile. */
  is_suspended: z.boolean(),
})
export type AccessItem = z.output<typeof accessItemSchema>
export type AccessItemJson = z.input<typeof accessItemSchema>

/** GET /auth/access?kind=oidc lists only items of that kind. */
export const accessItemsQuerySchema = pageQuerySchema.extend({ kind: z.enum(accessItemKinds).optional() })

/** GET /auth/access: newest first, without the session that makes the call. */
export const accessItemsResponseSchema = z.object({
  items: z.array(accessItemSchema),
  next_cursor: z.string().nullable(),
})
export type AccessItemsResponse = z.output<typeof accessItemsResponseSchema>
export type AccessItemsResponseJson = z.input<typeof accessItemsResponseSchema>

export const accessItemRefsSchema = z.array(z.object({ kind: z.enum(accessItemKinds), id: idSchema })).max(1000)
export type AccessItemRef = z.output<typeof accessItemRefsSchema>[number]

/** POST /auth/access/end */
export const endAccessSchema = z.strictObject({ items: accessItemRefsSchema })
/** POST /auth/access/confirm */
export const confirmAccessSchema = z.strictObject({
  items: accessItemRefsSchema,
  current_password: z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS).optional(),
})

/** GET /me/export. `export_id` identifies the export in `export.progress` events. */
export const exportQuerySchema = signedFileQuerySchema.extend({ export_id: z.uuid().optional() })

/** POST /me/export: download link for a browser, valid for a few minutes. */
export const exportTicketSchema = z.object({
  export_id: z.uuid(),
  /** A signed path. */
  url: z.string(),
  expires_at: timestampSchema,
})
export type ExportTicket = z.output<typeof exportTicketSchema>
export type ExportTicketJson = z.input<typeof exportTicketSchema>

/** DELETE /me/data */
export const deleteDataSchema = z.strictObject({
  /** Password of the account; omitted if it has none. */
  password: z.string().min(1, { error: 'Enter your password.' }).max(1000).optional(),
})

/** Counts of the deleted rows and files. */
export const deletedDataSchema = z.object({
  deleted: z.object({
    chat_sessions: z.number().int(),
    messages: z.number().int(),
    media_items: z.number().int(),
    moments: z.number().int(),
    effect_images: z.number().int(),
    effect_recipes: z.number().int(),
    facts: z.number().int(),
    prompts: z.number().int(),
    reminders: z.number().int(),
    agent_runs: z.number().int(),
    notifications: z.number().int(),
    weekly_summaries: z.number().int(),
    activities: z.number().int(),
    partial_uploads: z.number().int(),
    /** Stored files, including previews and other derived files. */
    files: z.number().int(),
    bytes: z.number().int(),
  }),
})
export type DeletedData = z.infer<typeof deletedDataSchema>
