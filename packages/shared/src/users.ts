import { z } from 'zod'
import { accessItemRefsSchema } from './account.ts'
import { EMAIL_PATTERN, roles, tokenScopes, USERNAME_PATTERN } from './constants/accounts.ts'
import {
  API_TOKEN_NAME_MAX_CHARACTERS,
  EMAIL_MAX_CHARACTERS,
  FULL_NAME_MAX_CHARACTERS,
  LIST_MAX,
  OWN_PASSWORD_MIN_CHARACTERS,
  PASSWORD_FIELD_MAX_CHARACTERS,
  PASSWORD_MAX_BYTES,
  PASSWORD_MIN_BYTES,
  UPLOAD_LIMIT_MIN_BYTES,
  USER_QUERY_MAX_CHARACTERS,
  USERNAME_MAX_CHARACTERS,
} from './constants/limits.ts'
import { cursorSchema } from './ids-and-pages.ts'
import { timestampSchema } from './timestamp.ts'

export const roleSchema = z.enum(roles)

const byteLength = (text: string) => new TextEncoder().encode(text).length

const passwordSchema = z
  .string()
  .max(PASSWORD_FIELD_MAX_CHARACTERS)
  .refine((password) => byteLength(password) <= PASSWORD_MAX_BYTES, {
    error: `Use at most ${PASSWORD_MAX_BYTES} bytes (about ${PASSWORD_MAX_BYTES} plain characters).`,
  })

/** A password set for someone else: 10 to 72 bytes of UTF-8. The server also refuses guessable ones. */
export const newPasswordSchema = passwordSchema
  .refine((password) => byteLength(password) >= PASSWORD_MIN_BYTES, {
    error: `Use at least ${PASSWORD_MIN_BYTES} characters.`,
  })
  .meta({ format: 'password' })

/** A password that users set for themselves: 12 characters to 72 bytes. The server also refuses guessable ones. */
export const ownPasswordSchema = passwordSchema
  .refine((password) => [...password].length >= OWN_PASSWORD_MIN_CHARACTERS, {
    error: `Use at least ${OWN_PASSWORD_MIN_CHARACTERS} characters.`,
  })
  .meta({ format: 'password' })

/** Username in Unicode's normalization form C (NFC), so that a name is the same whatever keyboard it was typed on. */
export const usernameSchema = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1, { error: 'Enter a username.', abort: true })
  .max(USERNAME_MAX_CHARACTERS, { error: `Use at most ${USERNAME_MAX_CHARACTERS} characters.` })
  .regex(USERNAME_PATTERN, { error: 'Use letters, digits and . _ @ + - only.' })

/** True unless a character stands for a different one in form C, as the Kelvin sign does for K: another person's address. */
const hasOwnCharacters = (text: string) =>
  [...text].every((character) => {
    const composed = character.normalize('NFC')
    return composed === character || [...composed].length > 1
  })

/** Email address in form C, as `usernameSchema`. */
export const emailSchema = z
  .string()
  .trim()
  .refine(hasOwnCharacters, { error: 'Enter a valid email address.', abort: true })
  .normalize('NFC')
  .max(EMAIL_MAX_CHARACTERS, { error: 'This address is too long.' })
  .pipe(z.email({ pattern: EMAIL_PATTERN, error: 'Enter a valid email address.' }))

export const fullNameSchema = z
  .string()
  .trim()
  .max(FULL_NAME_MAX_CHARACTERS, { error: `Use at most ${FULL_NAME_MAX_CHARACTERS} characters.` })

/** Bytes that an account may store; null for the instance's default. */
export const storageLimitSchema = z.number().int().min(UPLOAD_LIMIT_MIN_BYTES).max(Number.MAX_SAFE_INTEGER).nullable()

/** A user as sent by the API, without password or hash. */
export const userSchema = z.object({
  id: z.uuid(),
  username: z.string(),
  email: z.string(),
  full_name: z.string().nullable(),
  role: roleSchema,
  can_chat: z.boolean(),
  can_upload: z.boolean(),
  can_use_voice: z.boolean(),
  can_use_agents: z.boolean(),
  is_active: z.boolean(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  last_active_at: timestampSchema.nullable(),
  /** Time it was trashed and time of permanent deletion; omitted outside the trash. */
  trash: z.object({ since: timestampSchema, until: timestampSchema }).optional(),
})
export type User = z.output<typeof userSchema>
/** A user as received by clients: times are text. */
export type UserJson = z.input<typeof userSchema>

/** POST /admin/users. The defaults are those of the form for creating users. */
export const createUserSchema = z.object({
  username: usernameSchema,
  email: emailSchema,
  full_name: fullNameSchema.nullish(),
  password: newPasswordSchema,
  role: roleSchema.default('user'),
  can_chat: z.boolean().default(true),
  can_upload: z.boolean().default(false),
  can_use_voice: z.boolean().default(false),
  can_use_agents: z.boolean().default(false),
  storage_limit_bytes: storageLimitSchema.default(null),
  /** The caller's own password, needed to create an administrator more than ten minutes after signing in. */
  current_password: z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS).optional(),
})
export type CreateUser = z.output<typeof createUserSchema>
export type CreateUserJson = z.input<typeof createUserSchema>

/** PUT /admin/users/{id}: omitted fields stay; fields not listed here are ignored. */
export const updateUserSchema = z
  .object({
    username: usernameSchema,
    email: emailSchema,
    full_name: fullNameSchema.nullable(),
    password: newPasswordSchema,
    /**
     * The administrator's own password, if they have one; needed to change the password or the role and, more than ten minutes
     * after signing in, the email address.
     */
    current_password: z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS),
    role: roleSchema,
    can_chat: z.boolean(),
    can_upload: z.boolean(),
    can_use_voice: z.boolean(),
    can_use_agents: z.boolean(),
    is_active: z.boolean(),
    storage_limit_bytes: storageLimitSchema,
  })
  .partial()
export type UpdateUser = z.output<typeof updateUserSchema>
export type UpdateUserJson = z.input<typeof updateUserSchema>

/** GET /admin/users: `query` searches username, email and full name; `X-Next-Cursor` is sent when there are more. */
export const listUsersQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(LIST_MAX),
  cursor: cursorSchema,
  query: z.string().trim().max(USER_QUERY_MAX_CHARACTERS).optional(),
  /** `trash` lists only trashed accounts; otherwise they are left out. */
  in: z.enum(['accounts', 'trash']).optional(),
})
/** DELETE /admin/users/{id}: `now` deletes permanently instead of moving to the trash. */
export const deleteUserQuerySchema = z.object({ now: z.enum(['true', 'false']).default('false') })

/** POST /auth/login, as multipart form-data or urlencoded. */
export const loginSchema = z.object({
  username: z.string().trim().normalize('NFC').min(1, { error: 'Enter your username.' }).max(EMAIL_MAX_CHARACTERS),
  password: z.string().min(1, { error: 'Enter your password.' }).max(PASSWORD_FIELD_MAX_CHARACTERS),
})

export const loginResponseSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  /** Seconds until the token expires. */
  expires_in: z.number().int(),
})
export type LoginResponse = z.infer<typeof loginResponseSchema>

export const changePasswordSchema = z.object({
  /** Current password; omitted by users without one. */
  current_password: z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS).optional(),
  new_password: ownPasswordSchema,
  /** Entries of GET /auth/access to revoke along with the change. */
  end_access: accessItemRefsSchema.optional(),
})

/** A signed-in browser or script. */
export const authSessionSchema = z.object({
  id: z.uuid(),
  created_at: timestampSchema,
  last_used_at: timestampSchema,
  user_agent: z.string(),
  /** IP address at sign-in; empty when unknown. */
  address: z.string(),
  /** Sign-in method; `code` is a password with a code. */
  method: z.enum(['password', 'code', 'passkey', 'oidc', 'invitation']),
  current: z.boolean(),
})
export type AuthSessionView = z.output<typeof authSessionSchema>
export type AuthSessionJson = z.input<typeof authSessionSchema>

export const tokenScopeSchema = z.enum(tokenScopes)

export const createApiTokenSchema = z.object({
  name: z.string().trim().min(1, { error: 'Give the token a name.' }).max(API_TOKEN_NAME_MAX_CHARACTERS),
  scopes: z.array(tokenScopeSchema).min(1, { error: 'Choose what the token may do.' }).max(20).default(['read']),
  /** Time when the token expires, by default in a year; null for a token that doesn't expire. */
  expires_at: timestampSchema.nullish(),
})

/** A personal API token; `token` is only in the response that created it. */
export const apiTokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(tokenScopeSchema),
  created_at: timestampSchema,
  expires_at: timestampSchema.nullable(),
  last_used_at: timestampSchema.nullable(),
  token: z.string().optional(),
})
export type ApiTokenView = z.output<typeof apiTokenSchema>
export type ApiTokenJson = z.input<typeof apiTokenSchema>
