import { expect, test } from 'vitest'
import { excessArchives, removableArchives } from './retention.ts'

const nameOf = (day: string | number) => `mira-backup-202601${String(day).padStart(2, '0')}-000000.zip`

/** Archives by day, with the files that each lacks; a number where only their count is known. */
function archivesOf(problemPathsByDay: Record<number, string | number>, provenDays: readonly number[] = []) {
  const own = Object.entries(problemPathsByDay).map(([day, problemPaths]) => ({
    fileName: nameOf(day),
    problems: typeof problemPaths === 'number' ? problemPaths : problemPaths.length,
    problemPaths: typeof problemPaths === 'number' ? null : [...problemPaths],
    isTrialRestored: provenDays.includes(Number(day)),
  }))
  const files = own.map(({ fileName }) => ({ fileName, sizeBytes: 1, modifiedAt: new Date() }))
  const daysOf = (archives: { fileName: string }[]) => archives.map(({ fileName }) => Number(fileName.slice(18, 20)))
  return {
    excess: (keepCount: number, day: number) =>
      daysOf(excessArchives(files, own, { keepCount, written: nameOf(day) })).sort((a, b) => a - b),
    removable: (day: number) => daysOf(removableArchives(files, own, new Date(Date.UTC(2026, 0, day)))),
  }
}

test.each([
  ['known', 'abc'],
  ['unknown', 900],
])('after stored files vanished, keeps the last archive that has them, however many follow: %s', (_name, lost) => {
  const archives = archivesOf({ 1: '', 2: '', 3: lost, 4: lost, 5: lost, 6: lost }, [1, 3, 4, 5])
  expect(archives.excess(2, 6)).toEqual([3, 4])
  expect(archives.removable(7)).toEqual([3, 4])
})

test('keeps an archive with a file that vanished later, regardless of earlier losses', () => {
  // a file of 1 was lost, then deleted; then one stored after 1 was lost
  expect(archivesOf({ 1: '', 2: 'a', 3: 'a', 4: 'a', 5: 'b', 6: 'b', 7: 'b' }).excess(2, 7)).toEqual([2, 3, 5])
  expect(archivesOf({ 1: '', 2: 'a', 3: 'a', 4: 'ab', 5: 'ab', 6: 'ab' }).excess(2, 6)).toEqual([2, 4])
})

test('a permanently lost file keeps one extra archive; one lost every day at most doubles their number', () => {
  expect(archivesOf({ 1: '', 2: 'a', 3: 'a', 4: 'a', 5: 'a', 6: 'a' }).excess(2, 6)).toEqual([2, 3, 4])
  const days = archivesOf({ 1: '', 2: 'a', 3: 'ab', 4: 'abc', 5: 'abcd', 6: 'abcde', 7: 'abcdef' })
  expect(days.excess(2, 7)).toEqual([2, 3, 4])
})

test('removes archives as usual once no file is missing', () => {
  expect(archivesOf({ 1: '', 2: 'a', 3: 'abc', 4: '', 5: '' }, [1]).excess(2, 5)).toEqual([2, 3])
  expect(archivesOf({ 1: '', 2: 'a', 3: 'abc', 4: '', 5: '' }, [4]).excess(2, 5)).toEqual([1, 2, 3])
})

test('removes archives dated in the future first', () => {
  expect(archivesOf({ 4: '', 25: '', 26: '', 27: '' }).excess(3, 4)).toEqual([25])
  expect(archivesOf({ 4: '', 5: '', 26: '', 27: '' }).excess(3, 5)).toEqual([26])
  expect(archivesOf({ 4: '', 5: '', 6: '', 27: '' }).excess(3, 6)).toEqual([27])
  expect(archivesOf({ 4: '', 5: '', 26: '', 27: '' }).removable(6)).toEqual([26, 27, 4])
})
