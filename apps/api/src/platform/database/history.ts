import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { StartupError } from '../../errors.ts'

export interface Migration {
  name: string
  text: string
}

/** The migration that creates all tables of a new database, instead of the earlier ones in HISTORY_FILE. */
export const BASELINE = '20261128220000_baseline'

const HISTORY_FILE = resolve(import.meta.dirname, '../../../../../prisma/history.sql')

/** Former names of migrations that were renamed after landing, mapped to their current ones. */
export const formerNames: Readonly<Record<string, string>> = {
  '20261122203133_account_storage_limit': '20261122213000_account_storage_limit',
  '20261123085500_long_files': '20261123093000_long_files',
  '20261127225104_proven_backups': '20261128002600_proven_backups',
  '20261128034711_own_dates_and_places': '20261128043000_own_dates_and_places',
  '20261128041500_keeps_places': '20261128043100_keeps_places',
}

/** Checksums of migrations that were edited after landing; HISTORY_FILE's repairs bring databases that applied them up to date. */
const formerChecksums: ReadonlySet<string> = new Set([
  'd93d2fe9b77bb62347bd82d77b7a56212d0a31a6ddc6bf7839308389d63e1ed0', // person_counts
  'fa04b5097779c05d05c584aac900d1ad54f1de2132078c311416d78318f5f6e4', // imports_in_portions
  '0caa9891d4dd4900fcab4602077343669a68345e23a278753bdfe221b6b0c399', // invitations_of_their_makers
  'eb7c95a58a98970a5f37e34d9ea7acae7cfc8ad9e1d80aa598a3f00117c2f714', // failures_without_codes
  'b6ad7d618d66edcc59733b5334b0fb1c7195d165b0aa21250c380100c961748a', // access_that_is_on_again
  '3e96517036ea08ddd6fc94fe8f029a9c20ae75201621339028df5b583f7326a6', // restored_access_waits
])

export const currentName = (name: string): string => formerNames[name] ?? name

/** True for the checksum of a migration that was edited after landing. */
export const isFormerText = (checksum: string): boolean => formerChecksums.has(checksum)

/** The migrations before the baseline, in order, and the repairs for databases that applied a former text of one. */
export async function readHistory(): Promise<{ migrations: Migration[]; repairs: string }> {
  const [texts = '', repairs = ''] = (await readFile(HISTORY_FILE, 'utf8')).split(/^-- repairs\n/m)
  const [, ...parts] = texts.split(/^-- migration (\d{14}_\w+)\n/m)
  const migrations = parts.flatMap((name, index) => (index % 2 === 0 ? [{ name, text: parts[index + 1] ?? '' }] : []))
  if (migrations.length === 0) throw new StartupError('prisma/history.sql is damaged. Restore that file.')
  return { migrations, repairs }
}
