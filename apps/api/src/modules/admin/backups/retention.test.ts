import { expect, test } from 'vitest'
import { excessArchives, removableArchives } from './retention.ts'

/** Archives of days, with the number of files that are missing or damaged in each. */
function archivesOf(problemsByDay: Record<number, number>, provenDays: readonly number[] = []) {
  const nameOf = (day: string | number) => `mira-backup-202601${String(day).padStart(2, '0')}-000000.zip`
  const own = Object.entries(problemsByDay).map(([day, problems]) => ({
    fileName: nameOf(day),
    problems,
    isProven: provenDays.includes(Number(day)),
  }))
  const files = own.map(({ fileName }) => ({ fileName, sizeBytes: 1, modifiedAt: new Date() }))
  const daysOf = (archives: { fileName: string }[]) => archives.map(({ fileName }) => Number(fileName.slice(18, 20)))
  return {
    excess: (keepCount: number, day: number) =>
      daysOf(excessArchives(files, own, { keepCount, written: nameOf(day) })).sort((a, b) => a - b),
    removable: () => daysOf(removableArchives(files, own)),
  }
}

test('however many backups are made after stored files vanished, the last one that has them stays', () => {
  const archives = archivesOf({ 1: 0, 2: 0, 3: 900, 4: 900, 5: 900, 6: 899 }, [1, 3, 4, 5])
  expect(archives.excess(2, 6)).toEqual([3, 4])
  expect(archives.removable()).toEqual([3, 4])
})

test('a file that was lost for good does not make every backup stay, but those before the next loss', () => {
  expect(archivesOf({ 1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1 }).excess(2, 6)).toEqual([2, 3, 4])
  const archives = archivesOf({ 1: 0, 2: 1, 3: 1, 4: 50, 5: 50, 6: 50 })
  expect(archives.excess(2, 6)).toEqual([2, 4])
  // 3 has what was stored after 1
  expect(archives.removable()).toEqual([2, 4, 5, 3])
})

test('when no file is missing any more, backups are removed as usual', () => {
  expect(archivesOf({ 1: 0, 2: 1, 3: 50, 4: 0, 5: 0 }, [1]).excess(2, 5)).toEqual([2, 3])
  expect(archivesOf({ 1: 0, 2: 1, 3: 50, 4: 0, 5: 0 }, [4]).excess(2, 5)).toEqual([1, 2, 3])
})
