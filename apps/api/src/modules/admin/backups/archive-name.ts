import type { BackupReason } from '@mira/shared'

/** Names sort by time; archives written before an update are marked. */
export const ARCHIVE_NAME = /^mira-backup-\d{8}-\d{6}(-update)?\.zip(\.sealed)?$/

export const isUpdateArchive = (name: string): boolean => name.includes('-update.')

export function archiveName(now: Date, { isSealed, reason }: { isSealed: boolean; reason?: BackupReason }): string {
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  return `mira-backup-${time}${reason === 'update' ? '-update' : ''}.zip${isSealed ? '.sealed' : ''}`
}
