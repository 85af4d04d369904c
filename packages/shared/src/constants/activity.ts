/** Kinds of notifications; clients word each in their own language. */
export const notificationKinds = [
  'media_done',
  'media_failed',
  'reminder_due',
  'automation_done',
  'automation_failed',
  'summary_ready',
  'export_done',
  'backup_done',
  'backup_failed',
  'backup_unproven',
  'files_damaged',
  'offsite_failed',
  'model_ready',
  'model_failed',
  'access_added',
  'access_suspended',
  'admin_added',
  'admin_invited',
  'instance_restored',
] as const
export type NotificationKind = (typeof notificationKinds)[number]

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
  'certificate',
  'timeout',
  'status',
  'redirects',
  /** Its secret can't be decrypted with this server's key. */
  'secret',
  /** Too many deliveries were waiting already. */
  'backlog',
  /** The webhook or its account was turned off for too long. */
  'stopped',
] as const
export type DeliveryProblem = (typeof deliveryProblems)[number]

export const MAX_HOOKS = 20
export const HOOK_NAME_MAX_CHARACTERS = 80
export const HOOK_URL_MAX_CHARACTERS = 2000

/** Actions of the audit log: subject and past tense. Each has a text in the web app's `audit.json`. */
export const auditActions = [
  'sign_in',
  'sign_in.failed',
  'sign_out',
  'session.ended',
  'password.changed',
  'password.refused',
  'token.created',
  'token.deleted',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'codes.turned_on',
  'codes.turned_off',
  'recovery_codes.renewed',
  'access.ended',
  'access.confirmed',
  'program.allowed',
  'program.ended',
  'program.token_reused',
  'account.created',
  'account.updated',
  'account.trashed',
  'account.restored',
  'account.purged',
  'account.deleted',
  'account.codes_turned_off',
  'account.password_reset',
  'account.passkeys_removed',
  'invitation.made',
  'invitation.revoked',
  'settings.changed',
  'engine.tested',
  'connection.added',
  'connection.changed',
  'connection.removed',
  'connection.tested',
  'persona.changed',
  'persona.removed',
  'mcp_server.added',
  'mcp_server.changed',
  'mcp_server.removed',
  'mcp_server.tested',
  'ollama.pulled',
  'ollama.removed',
  'web.changed',
  'web.tested',
  'watched_folder.added',
  'watched_folder.changed',
  'watched_folder.removed',
  'watched_folder.scanned',
  'model.fetched',
  'model.removed',
  'vectors.dropped',
  'backup.begun',
  'backup.ticket_made',
  'backup.offsite_tested',
  'backup.downloaded',
  'backup.deleted',
  'backup.proof_begun',
  'audit.exported',
  'task.triggered',
  'task.changed',
  'run.cancelled',
  'run.retried',
] as const
export type AuditAction = (typeof auditActions)[number]

/** Entry types of the memory logs, also used as filters. */
export const logTypes = ['chat', 'media', 'memory_search', 'agent'] as const
export type LogType = (typeof logTypes)[number]

export const logContentTypes = ['conversation', 'image', 'video', 'audio', 'document', 'search', 'calculation'] as const
export type LogContentType = (typeof logContentTypes)[number]

export const logSentiments = ['positive', 'neutral', 'negative'] as const
export type LogSentiment = (typeof logSentiments)[number]

/**
 * In the caller's time zone: today since midnight, week the last 7 times 24 hours, month since the beginning of
 * the same day one month ago.
 */
export const logRanges = ['today', 'week', 'month'] as const
export type LogRange = (typeof logRanges)[number]
