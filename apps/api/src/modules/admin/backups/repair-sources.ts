import { storedFile } from './archive.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import { isUpdateArchive } from './archive-name.ts'
import { openArchive } from './open-archive.ts'
import type { RepairSource } from './scrubbing.service.ts'

/** Archives of a folder, newest first, then the off-site copies, without those that can't be opened. */
export async function* repairSources({
  folder,
  passphrase,
  scratch,
  offsite,
}: {
  folder: Pick<ArchiveFolder, 'list' | 'fileOf'>
  passphrase: string | undefined
  /** Folder in which encrypted archives are decrypted. */
  scratch: string
  offsite: { repairSource(): Promise<RepairSource | null> }
}): AsyncGenerator<RepairSource> {
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
  const copies = await offsite.repairSource()
  if (copies !== null) yield copies
}
