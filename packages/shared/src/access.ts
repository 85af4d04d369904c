import type { Role, TokenScope } from './constants/accounts.ts'

/** Permission that each flag of a user grants. */
export const permissionFlags = {
  can_chat: 'chat',
  can_upload: 'upload',
  can_use_voice: 'voice',
  can_use_agents: 'agents',
} as const
export type PermissionFlag = keyof typeof permissionFlags
export type Permission = (typeof permissionFlags)[PermissionFlag]

/**
 * Callers allowed on a route or screen: everyone, anyone signed in, users with one permission, administrators,
 * or users who may read analytics (administrators and users with can_use_agents).
 */
export type Access = 'public' | 'user' | Permission | 'analytics' | 'admin'

/** Fields of a user that decide what the user may do. */
export interface AccessHolder extends Record<PermissionFlag, boolean> {
  role: Role
}

/** True when a user has access. Routes, the web app's pages, its navigation and its dashboard tabs all use this one rule. */
export function can(user: AccessHolder | null, access: Access): boolean {
  if (access === 'public') return true
  if (!user) return false
  switch (access) {
    case 'user':
      return true
    case 'chat':
      return user.can_chat
    case 'upload':
      return user.can_upload
    case 'voice':
      return user.can_use_voice
    case 'agents':
      return user.can_use_agents
    case 'analytics':
      return user.role === 'admin' || user.can_use_agents
    case 'admin':
      return user.role === 'admin'
  }
}

/** Scope that a token needs to call a route: the one that the route declares, otherwise one derived from its access and method. */
export function scopeOf(route: { access: Access; method: string; scope?: TokenScope | undefined }): TokenScope {
  if (route.scope !== undefined) return route.scope
  if (route.access === 'admin') return 'admin'
  if (['GET', 'HEAD', 'OPTIONS'].includes(route.method.toUpperCase())) return 'read'
  if (route.access === 'chat' || route.access === 'voice') return 'chat'
  return route.access === 'agents' || route.access === 'analytics' ? 'agents' : 'write'
}
