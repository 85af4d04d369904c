/** Events of webhooks; only administrators receive `automation.run`. */
export const hookEvents = ['media.done', 'media.failed', 'reminder.due', 'chat.answered', 'automation.run'] as const
export type HookEvent = (typeof hookEvents)[number]

/** States of a delivery: waiting for its next attempt, delivered, or given up. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const

/** Reasons for a failed attempt; clients word each in their own language. */
export const deliveryProblems = [
  'address',
  'private',
  'unreachable',
  'timeout',
  'status',
  'redirects',
  /** Its secret was sealed by another server. */
  'secret',
  /** Too many were waiting already. */
  'backlog',
] as const
export type DeliveryProblem = (typeof deliveryProblems)[number]

export const MAX_HOOKS = 20
export const HOOK_NAME_MAX_CHARACTERS = 80
export const HOOK_URL_MAX_CHARACTERS = 2000
