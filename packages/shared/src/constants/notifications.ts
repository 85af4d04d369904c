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
