import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../../log.ts'
import { listMigrations } from '../../../platform/database/migrate.ts'
import { fillEmbedded } from '../../../platform/database/restore-target.ts'
import type { OpenedZip } from '../../../platform/storage/zip.ts'
import { archivedTables, type Manifest } from './archive.ts'
import { checkArchive } from './archive-check.ts'

/** Stored files that a trial restore verifies: enough to notice a bad disk, few enough to finish soon. */
const MAX_SAMPLED_FILES = 300
const MAX_SAMPLED_BYTES = 4 * 1024 ** 3

/**
 * Loads an archive into a new embedded database in `folder`, checks every foreign key, and verifies a random sample of
 * its stored files. Removes everything afterwards.
 * @throws StartupError with the problem when it can't be restored.
 */
export async function tryRestore({
  zip,
  folder,
  migrationsDir,
  log,
}: {
  zip: OpenedZip
  folder: string
  migrationsDir: string
  log: Log
}): Promise<void> {
  const knownMigrations = await listMigrations(migrationsDir)
  const manifest = await checkArchive(zip, { knownMigrations, chooseFiles: sampleOf })
  const instance = join(folder, 'instance')
  await rm(instance, { recursive: true, force: true })
  await mkdir(instance, { recursive: true, mode: 0o700 })
  try {
    const tables = archivedTables(zip, manifest, () => {})
    await fillEmbedded(instance, { migrations: manifest.migrations, tables, migrationsDir }, log)
  } finally {
    await rm(instance, { recursive: true, force: true })
  }
}

/** A random sample, so that each trial reads different files. */
function sampleOf(files: Manifest['files']): ReadonlySet<string> {
  const shuffled = files.map((file) => ({ file, order: Math.random() })).sort((a, b) => a.order - b.order)
  const sample = new Set<string>()
  let bytes = 0
  for (const { file } of shuffled) {
    if (sample.size === MAX_SAMPLED_FILES) break
    if (bytes + file.size_bytes > MAX_SAMPLED_BYTES) continue
    bytes += file.size_bytes
    sample.add(file.name)
  }
  return sample
}
