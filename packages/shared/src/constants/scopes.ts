import type { Access } from '../access.ts'

/** What a personal API token may be made for; each opens what it names and nothing of the others. */
export const tokenScopes = ['read', 'write', 'chat', 'upload', 'agents', 'admin'] as const
export type TokenScope = (typeof tokenScopes)[number]

/** What a program may ask a person for by OAuth: what opens something at /mcp. */
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
