import type { Access } from '../access.ts'

export const roles = ['admin', 'user', 'guest'] as const
export type Role = (typeof roles)[number]

/** Scopes of personal API tokens; each grants only its own access. */
export const tokenScopes = ['read', 'write', 'chat', 'upload', 'agents', 'admin'] as const
export type TokenScope = (typeof tokenScopes)[number]

/** Scopes that a program may request by OAuth: those that grant access at /mcp. */
export const programScopes = ['read', 'chat', 'upload', 'agents'] as const satisfies TokenScope[]
export type ProgramScope = (typeof programScopes)[number]

/**
 * The scope that a token needs to call a route: the one that the route declares, else what follows from who may call it
 * and whether it only reads.
 */
export function scopeOf(route: { access: Access; method: string; scope?: TokenScope | undefined }): TokenScope {
  if (route.scope !== undefined) return route.scope
  if (route.access === 'admin') return 'admin'
  if (['GET', 'HEAD', 'OPTIONS'].includes(route.method.toUpperCase())) return 'read'
  if (route.access === 'chat' || route.access === 'voice') return 'chat'
  return route.access === 'agents' || route.access === 'analytics' ? 'agents' : 'write'
}

/** Kinds of things that open a user's account to somebody, or send data out of it. */
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
