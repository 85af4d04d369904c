export const roles = ['admin', 'user', 'guest'] as const
export type Role = (typeof roles)[number]

/** Scopes of personal API tokens; each grants only its own access. */
export const tokenScopes = ['read', 'write', 'chat', 'upload', 'agents', 'admin'] as const
export type TokenScope = (typeof tokenScopes)[number]

/** Scopes that a program may request by OAuth: those that grant access at /mcp. */
export const programScopes = ['read', 'chat', 'upload', 'agents'] as const satisfies TokenScope[]
export type ProgramScope = (typeof programScopes)[number]

/** Kinds of access to a user's account, including recipients of its data. */
export const accessItemKinds = [
  'session',
  'api_token',
  'program',
  'passkey',
  'oidc',
  'share',
  'webhook',
  'mcp_server',
  'push',
  'invitation',
] as const
export type AccessItemKind = (typeof accessItemKinds)[number]

/** Theme preferences; `system` follows the operating system. */
export const themeChoices = ['light', 'dark', 'system'] as const
export type ThemeChoice = (typeof themeChoices)[number]

/** Invitation lifetimes offered on screen; the API accepts any up to the maximum. */
export const invitationLifetimesDays = [1, 7, 30] as const
export const DEFAULT_INVITATION_DAYS = 7
export const MAX_INVITATION_DAYS = 90

/** Username: letters of any script, digits and . _ @ + -. Vowel signs and accents only follow, and invisible ones aren't allowed. */
export const USERNAME_PATTERN = /^(?!.*\p{DI})[\p{L}\p{N}._@+-][\p{L}\p{M}\p{N}._@+-]*$/u

/** Suggests a username for a name or the first part of an email address; empty when no character of it is allowed. */
export function toUsername(text: string): string {
  const visible = text.normalize('NFC').replace(/\p{DI}/gu, '')
  return visible.replace(/[^\p{L}\p{M}\p{N}._@+-]+/gu, '.').replace(/^\p{M}+/u, '')
}

/**
 * Email address, also with letters of other scripts (RFC 6531), but without quoted parts. Invisible characters aren't
 * allowed, nor Turkish İ and ı, which some databases take for i when they ignore case: another person's address.
 */
export const EMAIL_PATTERN =
  /^(?!.*[\p{DI}İı])[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@(?:[\p{L}\p{M}\p{N}-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+$/u
