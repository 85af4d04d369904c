import { archiveName, isUpdateArchive, newestFirst } from './archive.ts'
import type { ArchiveFile, OwnArchive } from './own-archives.store.ts'

/** One of the instance's own archives that is in the folder. */
type RetainedArchive = ArchiveFile & OwnArchive

/** The instance's own archives among these files, newest first. @param now name of an archive written now. */
function ownArchives(files: readonly ArchiveFile[], own: readonly OwnArchive[], now: string): RetainedArchive[] {
  const ownByName = new Map(own.map((archive) => [archive.fileName, archive]))
  const order = newestFirst(now)
  return files
    .flatMap((file) => {
      const archive = ownByName.get(file.fileName)
      return archive === undefined ? [] : { ...file, ...archive }
    })
    .sort((a, b) => order(a.fileName, b.fileName))
}

/** Archives that were put into the folder by hand and aren't removed, largest first. */
export function manuallyAddedArchives(files: readonly ArchiveFile[], own: readonly OwnArchive[]): ArchiveFile[] {
  const ownNames = new Set(own.map(({ fileName }) => fileName))
  return files
    .filter(({ fileName }) => !ownNames.has(fileName) && !isUpdateArchive(fileName))
    .sort((a, b) => b.sizeBytes - a.sizeBytes)
}

/**
 * Archives that are never removed: the newest and the newest one with a successful trial restore, both among all archives and
 * among those without problems.
 * @param archives newest first.
 */
function essential(archives: readonly RetainedArchive[]): Set<RetainedArchive | undefined> {
  const groups = [archives, archives.filter(({ problems }) => problems === 0)]
  return new Set(groups.flatMap((group) => [group[0], group.find(({ isTrialRestored }) => isTrialRestored)]))
}

/** Archives that may contain an intact copy of a file that is missing or damaged in every newer archive. */
function irreplaceable([newest, ...older]: readonly RetainedArchive[]): RetainedArchive[] {
  if (newest === undefined || newest.problems === 0) return []
  const archives: RetainedArchive[] = []
  let lost = newest.problemPaths === null ? null : new Set(newest.problemPaths)
  let fewestProblems = newest.problems
  for (const archive of older) {
    const { problemPaths, problems } = archive
    if (lost === null || problemPaths === null) {
      // One of the lists of files is unknown, so only the numbers of problems can be compared.
      if (lost !== null || problems < fewestProblems) archives.push(archive)
    } else {
      const problemsBefore = new Set(problemPaths)
      const stillLost = new Set([...lost].filter((path) => problemsBefore.has(path)))
      if (stillLost.size < lost.size) archives.push(archive)
      lost = stillLost
    }
    fewestProblems = Math.min(fewestProblems, problems)
  }
  return archives
}

/** The instance's own archives beyond those to keep. @param options.written name of the archive just written. */
export function excessArchives(
  files: readonly ArchiveFile[],
  own: readonly OwnArchive[],
  { keepCount, written }: { keepCount: number; written: string },
): RetainedArchive[] {
  const archives = ownArchives(files, own, written)
  // At most `keepCount` irreplaceable archives are kept in addition, even if a file is lost every day.
  const keptArchives = new Set([...essential(archives), ...irreplaceable(archives).slice(0, keepCount)])
  return archives.slice(keepCount).filter((archive) => !keptArchives.has(archive))
}

/**
 * Archives that may be removed to make room for a new one, in this order: archives from before updates, then the other archives
 * from the oldest on, and finally those that may contain the only intact copy of a file.
 */
export function removableArchives(files: readonly ArchiveFile[], own: readonly OwnArchive[], now: Date): ArchiveFile[] {
  const nextName = archiveName(now, { isSealed: false })
  const archives = ownArchives(files, own, nextName)
  const order = newestFirst(nextName)
  const essentialArchives = essential(archives)
  const irreplaceableArchives = new Set(irreplaceable(archives))
  const removable = archives.filter((archive) => !essentialArchives.has(archive)).reverse()
  return [
    ...files.filter(({ fileName }) => isUpdateArchive(fileName)).sort((a, b) => order(b.fileName, a.fileName)),
    ...removable.filter((archive) => !irreplaceableArchives.has(archive)),
    ...removable.filter((archive) => irreplaceableArchives.has(archive)),
  ]
}
