import { storedFile } from '../features/backups/archive.ts'
import type { ArchiveFolder } from '../features/backups/archive-folder.ts'
import { isUpdateArchive } from '../features/backups/archive-name.ts'
import type { RepairSource } from '../features/backups/scrubbing.service.ts'
import { openArchive } from './open-archive.ts'

/** The archives of a folder, newest first, then the copies off-site; what cannot be opened is passed over. */
export async function* repairSources(options: {
  repairSource(): Promise<RepairSource | null>
  folder: Pick<ArchiveFolder, 'list' | 'fileOf'>
  passphrase: string | undefined
  /** Folder in which encrypted ones are decrypted. */
  scratch: string
}): AsyncGenerator<RepairSource> {
  const { folder, passphrase, scratch, repairSource } = options
  const ask = passphrase === undefined ? undefined : async () => passphrase
  const names = (await folder.list()).map(({ fileName }) => fileName).filter((name) => !isUpdateArchive(name))
  for (const name of names.sort().reverse()) {
    const zip = await openArchive(folder.fileOf(name), { folder: scratch, passphrase: ask }).catch(() => null)
    if (zip === null) continue
    yield {
      name,
      open: async (path) => (zip.sizes.has(storedFile(path)) ? zip.open(storedFile(path)) : null),
      close: () => zip.close(),
    }
  }
  const offsite = await repairSource()
  if (offsite !== null) yield offsite
}
