import { z } from 'zod'
import { preferencesSchema } from './account.ts'
import { DEFAULT_INVITATION_DAYS, MAX_INVITATION_DAYS } from './constants/accounts.ts'
import { PASSWORD_FIELD_MAX_CHARACTERS } from './constants/limits.ts'
import { timestampSchema } from './timestamp.ts'
import {
  createUserSchema,
  emailSchema,
  fullNameSchema,
  ownPasswordSchema,
  roleSchema,
  usernameSchema,
  userSchema,
} from './users.ts'

/** GET /auth/me: the user, with sign-in state and preferences. */
export const meSchema = userSchema.extend({
  /** True when the password was generated: the user must set their own before anything else. */
  must_change_password: z.boolean(),
  /** False for users who sign in only by provider or passkey. */
  has_password: z.boolean(),
  /** Preferences for all devices. */
  preferences: preferencesSchema,
})
export type Me = z.output<typeof meSchema>
export type MeJson = z.input<typeof meSchema>

/** GET /admin/users/{id}/sign-in: a user's ways to sign in. */
export const userSignInSchema = z.object({
  has_password: z.boolean(),
  must_change_password: z.boolean(),
  /** True when the password is followed by a code from an authenticator app. */
  totp: z.boolean(),
  passkeys: z.number().int(),
  /** True when the account is linked to the sign-in provider. */
  oidc: z.boolean(),
})
export type UserSignIn = z.infer<typeof userSignInSchema>

/** Available sign-in methods (GET /config). */
export const signInWaysSchema = z.object({
  password: z.boolean(),
  passkeys: z.boolean(),
  /** Name of the sign-in provider; null when none is connected. */
  oidc: z.object({ name: z.string() }).nullable(),
})
export type SignInWays = z.infer<typeof signInWaysSchema>

const ticketSchema = z.string().min(1).max(4000)
/** Password confirmation, required once a sign-in is more than ten minutes old. */
const confirmationShape = { current_password: z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS).optional() }
export const confirmationSchema = z.object(confirmationShape)

/** 202 of POST /auth/login: the password was right, and POST /auth/totp/sign-in needs the challenge and a code. */
export const loginChallengeSchema = z.object({
  challenge: z.string(),
  /** Seconds left to send the code. */
  expires_in: z.number().int(),
})
export type LoginChallenge = z.infer<typeof loginChallengeSchema>

/** POST /auth/totp/sign-in: six digits of the app, or a recovery code. */
export const totpSignInSchema = z.object({
  challenge: ticketSchema,
  code: z.string().trim().min(6, { error: 'Enter the code.' }).max(40),
})

export const totpStateSchema = z.object({ enabled: z.boolean(), recovery_codes_left: z.number().int() })
export type TotpState = z.infer<typeof totpStateSchema>

/** POST /auth/totp: secret for an authenticator app; no code is needed until one has been confirmed. */
export const totpDraftSchema = z.object({
  /** Secret in Base32, for users who type it in instead of scanning the code. */
  secret: z.string(),
  /** URI of the secret (`otpauth://…`), to be shown as a QR code. */
  uri: z.string(),
})
export type TotpDraft = z.infer<typeof totpDraftSchema>

export const totpConfirmSchema = z.object({
  code: z
    .string()
    .transform((text) => text.replace(/\s/g, ''))
    .pipe(z.string().regex(/^\d{6}$/, { error: 'Type the six digits that the app shows.' })),
})
export const recoveryCodesSchema = z.object({ recovery_codes: z.array(z.string()) })
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>

const passkeyNameSchema = z.string().trim().min(1, { error: 'Give the passkey a name.' }).max(80)

/** A passkey of the user. */
export const passkeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Host on which the passkey works. */
  host: z.string(),
  /** True for a passkey synchronised between devices. */
  is_backed_up: z.boolean(),
  created_at: timestampSchema,
  last_used_at: timestampSchema.nullable(),
})
export type PasskeyView = z.output<typeof passkeySchema>
export type PasskeyJson = z.input<typeof passkeySchema>

/** `options` are WebAuthn options as JSON; send `ticket` back with the device's response within five minutes. */
export const passkeyOptionsSchema = z.object({ ticket: z.string(), options: z.looseObject({}) })
export type PasskeyOptions = z.infer<typeof passkeyOptionsSchema>

const base64url = z
  .string()
  .regex(/^[\w-]*$/)
  .max(100_000)
const credentialShape = {
  id: base64url.min(1).max(2000),
  rawId: base64url.min(1).max(2000),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).nullish(),
  clientExtensionResults: z.looseObject({}),
}

/** POST /auth/passkeys/sign-in: the device's response, as WebAuthn JSON. */
export const passkeySignInSchema = z.object({
  ticket: ticketSchema,
  response: z.object({
    ...credentialShape,
    response: z.object({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url.nullish(),
    }),
  }),
})

/** POST /auth/passkeys. */
export const createPasskeySchema = z.object({
  ticket: ticketSchema,
  name: passkeyNameSchema,
  response: z.object({
    ...credentialShape,
    response: z.object({
      clientDataJSON: base64url,
      attestationObject: base64url,
      authenticatorData: base64url.optional(),
      transports: z.array(z.string().max(40)).max(10).optional(),
      publicKeyAlgorithm: z.number().int().optional(),
      publicKey: base64url.optional(),
    }),
  }),
})
export const renamePasskeySchema = z.object({ name: passkeyNameSchema })

const invitationTokenSchema = z.string().regex(/^[\w-]{43}$/, { error: 'This link is incomplete.' })
/** POST /auth/oidc/start: `invitation` is the secret of an invitation link that the sign-in accepts. */
export const oidcStartRequestSchema = z.object({ invitation: invitationTokenSchema.optional() })
/** POST /auth/oidc/start: the provider's URL for the browser, and a ticket to send back with POST /auth/oidc/finish. */
export const oidcStartResponseSchema = z.object({ url: z.string(), ticket: z.string() })
export type OidcStart = z.infer<typeof oidcStartResponseSchema>
/** POST /auth/oidc/finish: `query` is that of the URL to which the provider redirected. */
export const oidcFinishSchema = z.object({ ticket: ticketSchema, query: z.string().max(8000) })

/** POST /admin/invitations: the future account, whose holder chooses name and password. */
export const createInvitationSchema = createUserSchema
  .omit({ username: true, password: true, storage_limit_bytes: true })
  .extend({ expires_in_days: z.number().int().min(1).max(MAX_INVITATION_DAYS).default(DEFAULT_INVITATION_DAYS) })
export type CreateInvitation = z.output<typeof createInvitationSchema>
export type CreateInvitationJson = z.input<typeof createInvitationSchema>

/** An invitation; `token` and `url` are only in the response that created it, `url` only where PUBLIC_URL is set. */
export const invitationSchema = z.object({
  id: z.uuid(),
  email: emailSchema,
  full_name: fullNameSchema.nullable(),
  role: roleSchema,
  can_chat: z.boolean(),
  can_upload: z.boolean(),
  can_use_voice: z.boolean(),
  can_use_agents: z.boolean(),
  invited_by: z.string(),
  created_at: timestampSchema,
  expires_at: timestampSchema,
  state: z.enum(['open', 'accepted', 'revoked', 'expired']),
  token: z.string().optional(),
  url: z.string().optional(),
})
export type InvitationView = z.output<typeof invitationSchema>
export type InvitationJson = z.input<typeof invitationSchema>

/** POST /auth/invitations/look. */
export const previewInvitationSchema = z.object({ token: invitationTokenSchema })
export const invitationPreviewSchema = z.object({
  email: z.string(),
  full_name: z.string().nullable(),
  role: roleSchema,
  invited_by: z.string(),
  expires_at: timestampSchema,
})
export type InvitationPreview = z.output<typeof invitationPreviewSchema>
export type InvitationPreviewJson = z.input<typeof invitationPreviewSchema>

/** POST /auth/invitations/accept. */
export const acceptInvitationSchema = z.object({
  token: invitationTokenSchema,
  username: usernameSchema,
  full_name: fullNameSchema.nullish(),
  password: ownPasswordSchema,
})
