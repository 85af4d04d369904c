/** How archives of an instance are called; their names are in the order of their times. */
export const ARCHIVE_NAME = /^mira-backup-\d{8}-\d{6}\.zip(\.sealed)?$/

/** The name of an archive that is begun now. */
export function archiveName(now: Date, { isSealed }: { isSealed: boolean }): string {
  return `mira-backup-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}.zip${isSealed ? '.sealed' : ''}`
}
