import { isUpdateArchive } from './archive.ts'
import type { ArchiveFile, OwnArchive } from './backups.store.ts'

/** One of the instance's own archives, in its folder. */
type KeptArchive = ArchiveFile & OwnArchive

/**
 * The instance's own archives among these files, newest first.
 * @param written the one just written, which a clock that was set back named like an old one.
 */
function ownArchives(files: readonly ArchiveFile[], own: readonly OwnArchive[], written?: string): KeptArchive[] {
  const ownByName = new Map(own.map((archive) => [archive.fileName, archive]))
  const isWritten = ({ fileName }: ArchiveFile) => Number(fileName === written)
  return files
    .flatMap((file) => {
      const archive = ownByName.get(file.fileName)
      return archive === undefined ? [] : { ...file, ...archive }
    })
    .sort((a, b) => isWritten(b) - isWritten(a) || byAge(b, a))
}

/** Oldest first. */
const byAge = (a: ArchiveFile, b: ArchiveFile) => (a.fileName < b.fileName ? -1 : 1)

/** The newest, and the newest proven one: nothing removes them. */
const essential = (newestFirst: readonly KeptArchive[]) =>
  new Set([newestFirst[0], newestFirst.find(({ isProven }) => isProven)])

/** Archives that the newest push out. */
export function excessArchives(
  files: readonly ArchiveFile[],
  own: readonly OwnArchive[],
  { keepCount, written }: { keepCount: number; written: string },
): KeptArchive[] {
  const archives = ownArchives(files, own, written)
  const kept = essential(archives)
  return archives.slice(keepCount).filter((archive) => !kept.has(archive))
}

/** Archives that may make room for a new one, in that order: those from before updates, then the oldest. */
export function removableArchives(files: readonly ArchiveFile[], own: readonly OwnArchive[]): ArchiveFile[] {
  const archives = ownArchives(files, own)
  const kept = essential(archives)
  const updates = files.filter(({ fileName }) => isUpdateArchive(fileName)).sort(byAge)
  return [...updates, ...archives.filter((archive) => !kept.has(archive)).reverse()]
}
