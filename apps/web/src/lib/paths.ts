/** The addresses of the screens (spec §2.1). */
export const paths = {
  home: '/',
  login: '/login',
  dashboard: '/dashboard',
  chat: '/chat',
  agents: '/agents',
  upload: '/upload',
  gallery: '/gallery',
  effects: '/effects',
  memory: '/memory',
  admin: '/admin',
  analytics: '/analytics',
} as const

/** The tabs of the dashboard, as its address names them (spec §2.4). */
export type DashboardTab =
  | 'overview'
  | 'chat-logs'
  | 'memory-logs'
  | 'agents-logs'
  | 'analytics'
  | 'automation'
  | 'settings'

/** The address of a tab of the dashboard. */
export function dashboardPath(tab: DashboardTab): string {
  return tab === 'overview' ? paths.dashboard : `${paths.dashboard}?tab=${tab}`
}

/** The address of a conversation (spec §2.1). */
export function chatPath(sessionId: string): string {
  return `${paths.chat}?session=${encodeURIComponent(sessionId)}`
}
