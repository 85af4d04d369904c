/** What a program can be told of, as it happens; `automation.run` is told to administrators. */
export const hookEvents = ['media.done', 'media.failed', 'reminder.due', 'chat.answered', 'automation.run'] as const
export type HookEvent = (typeof hookEvents)[number]

/** How a delivery stands: it waits for its next attempt, it has arrived, or it was given up. */
export const deliveryStates = ['waiting', 'delivered', 'failed'] as const

/** Why an attempt did not arrive; clients word each in their own language. */
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

export const MOST_HOOKS = 20
export const HOOK_NAME_MAX_CHARACTERS = 80
export const HOOK_URL_MAX_CHARACTERS = 2000
