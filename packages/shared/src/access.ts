/** What a permission flag opens. */
export type Permission = 'chat' | 'upload' | 'voice' | 'agents'

/**
 * Who may call a route or see a screen: anybody, anybody signed in, holders of one permission flag, administrators,
 * or those who may read analytics (administrators and users with can_use_agents, spec §2.4).
 */
export type Access = 'public' | 'user' | Permission | 'analytics' | 'admin'

/** The part of a user that decides what they may do. */
export interface AccessHolder {
  role: 'admin' | 'user' | 'guest'
  can_chat: boolean
  can_upload: boolean
  can_use_voice: boolean
  can_use_agents: boolean
}

/** The one permission rule, used by routes, the route guard, the navigation and the dashboard tabs alike. */
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
