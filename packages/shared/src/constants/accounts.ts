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
