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

/** The newest and the newest proven one, and the newest of each in which no file is missing or damaged: nothing removes them. */
function essential(newestFirst: readonly KeptArchive[]): Set<KeptArchive | undefined> {
  const newest = [newestFirst, newestFirst.filter(({ problems }) => problems === 0)]
  return new Set(newest.flatMap((archives) => [archives[0], archives.find(({ isProven }) => isProven)]))
}

/** Archives in which fewer files are missing or damaged than in every newer one: they may have the only copy of a file. */
function irreplaceable(newestFirst: readonly KeptArchive[]): Set<KeptArchive> {
  let fewest = Number.POSITIVE_INFINITY
  const archives = new Set<KeptArchive>()
  for (const archive of newestFirst) {
    if (archive.problems >= fewest) continue
    fewest = archive.problems
    archives.add(archive)
  }
  return archives
}

/** Archives that the newest push out. */
export function excessArchives(
  files: readonly ArchiveFile[],
  own: readonly OwnArchive[],
  { keepCount, written }: { keepCount: number; written: string },
): KeptArchive[] {
  const archives = ownArchives(files, own, written)
  const kept = new Set([...essential(archives), ...irreplaceable(archives)])
  return archives.slice(keepCount).filter((archive) => !kept.has(archive))
}

/**
 * Archives that may make room for a new one, in that order: those from before updates, the oldest, and last those that may
 * hold the only copy of a file.
 */
export function removableArchives(files: readonly ArchiveFile[], own: readonly OwnArchive[]): ArchiveFile[] {
  const archives = ownArchives(files, own)
  const kept = essential(archives)
  const last = irreplaceable(archives)
  const removable = archives.filter((archive) => !kept.has(archive)).reverse()
  return [
    ...files.filter(({ fileName }) => isUpdateArchive(fileName)).sort(byAge),
    ...removable.filter((archive) => !last.has(archive)),
    ...removable.filter((archive) => last.has(archive)),
  ]
}
