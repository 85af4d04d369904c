import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '../../../config.ts'
import type { Snapshot } from '../../../platform/database/snapshot.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { zipOf } from '../../../platform/storage/zip.ts'
import { storedPath } from './archive.ts'
import { createArchiveWriter } from './archive-writer.ts'
import type { BackupsTools } from './index.ts'
import { createOffsiteService, type OffsiteDeps, type OffsiteMark } from './offsite.service.ts'
import { openOffsite } from './remote-places.ts'
import type { RepairSource } from './scrubbing.service.ts'

const MARK_KEY = 'backup_offsite_state'

/** Builds what copies the instance to another place. */
export function buildOffsite(
  tools: BackupsTools & Pick<OffsiteDeps, 'listAdminIds'>,
  { openSnapshot, scratch }: { openSnapshot(): Promise<Snapshot | undefined>; scratch: string },
) {
  const { config, database, files, settings, notify, log, listAdminIds } = tools
  const writer = createArchiveWriter({ openSnapshot, files, zipOf, writeWholeFile, version: VERSION })
  const address = () => settings.current().backups.offsite ?? ''
  const offsite = createOffsiteService({
    address,
    open: (place) => openOffsite(place, config, { isCreating: true }),
    async writeSnapshot(signal) {
      const folder = join(scratch, 'offsite')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const archive = join(folder, 'snapshot.zip')
      const { elsewhere } = await writer.write(archive, { isDatabaseOnly: true, signal })
      const paths = elsewhere.flatMap(({ name }) => storedPath(name) ?? [])
      return { archive, paths, remove: () => rm(folder, { recursive: true, force: true }) }
    },
    openFile: (path) => files.open(path),
    async mark() {
      const row = await database.prisma.setting.findUnique({ where: { key: MARK_KEY } })
      return (row?.value ?? null) as OffsiteMark | null
    },
    async saveMark(mark) {
      const value = JSON.parse(JSON.stringify(mark))
      await database.prisma.setting.upsert({
        where: { key: MARK_KEY },
        create: { key: MARK_KEY, value },
        update: { value },
      })
    },
    kept: () => settings.current().retention.backups_kept,
    listAdminIds,
    notify,
    log,
  })
  return {
    offsite,
    /** The copies as a source of repairs; null when there are none, or they cannot be reached. */
    async repairSource(): Promise<RepairSource | null> {
      if (address() === '') return null
      const repository = await openOffsite(address(), config, { isCreating: false }).catch((error: unknown) => {
        log.warn({ err: error }, 'the off-site copies could not be opened to repair files')
        return null
      })
      return repository && { name: address(), open: repository.openFile, close: repository.close }
    },
  }
}
