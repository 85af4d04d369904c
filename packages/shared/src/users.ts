import { z } from 'zod'
import { timestampSchema } from './timestamp.ts'

export const roles = ['admin', 'user', 'guest'] as const
export const roleSchema = z.enum(roles)
export type Role = z.infer<typeof roleSchema>

/** bcrypt reads no more than 72 bytes, so a longer password would promise more than it holds. */
export const PASSWORD_MIN_BYTES = 10
export const PASSWORD_MAX_BYTES = 72

const byteLength = (text: string) => new TextEncoder().encode(text).length

/** A password that is being set: 10 to 72 bytes of UTF-8. Whether it can be guessed is judged by the server. */
export const newPasswordSchema = z
  .string()
  .max(1000)
  .refine((password) => byteLength(password) >= PASSWORD_MIN_BYTES, {
    error: `Use at least ${PASSWORD_MIN_BYTES} characters.`,
  })
  .refine((password) => byteLength(password) <= PASSWORD_MAX_BYTES, {
    error: `Use at most ${PASSWORD_MAX_BYTES} bytes (about ${PASSWORD_MAX_BYTES} plain characters).`,
  })
  .meta({ format: 'password' })

/** Composed (NFC), so that the same letters typed on another keyboard are the same name. */
export const usernameSchema = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1, { error: 'Enter a username.', abort: true })
  .max(64, { error: 'Use at most 64 characters.' })
  .regex(/^[\p{L}\p{N}._@+-]+$/u, { error: 'Use letters, digits and . _ @ + - only.' })

export const emailSchema = z
  .string()
  .trim()
  .max(254, { error: 'This address is too long.' })
  .pipe(z.email({ error: 'Enter a valid email address.' }))

export const fullNameSchema = z.string().trim().max(120, { error: 'Use at most 120 characters.' })

/** A user as the API shows them; never a password or its hash. */
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
})
export type User = z.output<typeof userSchema>
/** A user as a client receives them: times are text. */
export type UserJson = z.input<typeof userSchema>

/** POST /admin/users. Defaults are the create form's (spec §5). */
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
})
export type CreateUser = z.output<typeof createUserSchema>
export type CreateUserJson = z.input<typeof createUserSchema>

/** PUT /admin/users/{id}: takes the whole user and changes only what is listed here; other fields are ignored. */
export const updateUserSchema = z.object({
  username: usernameSchema,
  email: emailSchema,
  full_name: fullNameSchema.nullish(),
  password: newPasswordSchema.optional(),
  role: roleSchema,
  can_chat: z.boolean(),
  can_upload: z.boolean(),
  can_use_voice: z.boolean(),
  can_use_agents: z.boolean(),
  is_active: z.boolean(),
})
export type UpdateUser = z.output<typeof updateUserSchema>
export type UpdateUserJson = z.input<typeof updateUserSchema>

/** GET /admin/users: searched in username, email and full name. */
export const listUsersQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().max(500).optional(),
  query: z.string().trim().max(200).optional(),
})

/** POST /auth/login, as multipart form-data or urlencoded. */
export const loginSchema = z.object({
  username: z.string().trim().normalize('NFC').min(1, { error: 'Enter your username.' }).max(254),
  password: z.string().min(1, { error: 'Enter your password.' }).max(1000),
})

export const loginAnswerSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  /** Seconds until the token ends. */
  expires_in: z.number().int(),
})
export type LoginAnswer = z.infer<typeof loginAnswerSchema>

export const changePasswordSchema = z.object({
  current_password: z.string().min(1).max(1000),
  new_password: newPasswordSchema,
})

/** A signed-in browser or script. */
export const authSessionSchema = z.object({
  id: z.uuid(),
  created_at: timestampSchema,
  last_used_at: timestampSchema,
  user_agent: z.string(),
  current: z.boolean(),
})
export type AuthSessionView = z.output<typeof authSessionSchema>
export type AuthSessionJson = z.input<typeof authSessionSchema>

export const createApiTokenSchema = z.object({
  name: z.string().trim().min(1, { error: 'Give the token a name.' }).max(80),
  expires_at: timestampSchema.nullish(),
})

/** A personal API token; `token` is there once, in the answer that made it. */
export const apiTokenSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  created_at: timestampSchema,
  expires_at: timestampSchema.nullable(),
  last_used_at: timestampSchema.nullable(),
  token: z.string().optional(),
})
export type ApiTokenView = z.output<typeof apiTokenSchema>
export type ApiTokenJson = z.input<typeof apiTokenSchema>
