import type { BackupReason } from '@mira/shared'

/** Names sort by time. Those written before an update are kept apart from the others. */
export const ARCHIVE_NAME = /^mira-backup-\d{8}-\d{6}(-update)?\.zip(\.sealed)?$/

export const isUpdateArchive = (name: string): boolean => name.includes('-update.')

/** The name of an archive begun at a moment. */
export function archiveName(now: Date, { isSealed, reason }: { isSealed: boolean; reason?: BackupReason }): string {
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  return `mira-backup-${time}${reason === 'update' ? '-update' : ''}.zip${isSealed ? '.sealed' : ''}`
}
