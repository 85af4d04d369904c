export const roles = ['admin', 'user', 'guest'] as const
export type Role = (typeof roles)[number]
