import { expect, test } from 'vitest'
import type { DetailMoment, DetailPart } from './detail.store.ts'
import { chaptersOf } from './present-detail.ts'

const moment = (kind: DetailMoment['kind'], startSeconds: number, body: string, frameNumber: number | null = null) => ({
  ...{ id: `${kind}-${startSeconds}`, kind, startSeconds, endSeconds: startSeconds + 8, body, frameNumber },
  ...{ page: null, characterOffset: null, engine: 'local', isLocked: false },
})
const frame = (number: number, startSeconds: number): DetailPart => ({
  kind: 'frame',
  number,
  startSeconds,
  width: 320,
  height: 180,
  words: [],
})

/** A sentence every ten seconds, about bread, then boats, then bees. */
const subjects = [
  'The dough rises while flour and yeast work in the warm kitchen.',
  'The harbour fills with boats, sails and nets when fishermen return.',
  'The hive hums while bees carry honey between meadow and comb.',
]
const lecture = (seconds: number) =>
  Array.from({ length: seconds / 10 }, (_, n) => {
    const subject = subjects[Math.floor((n * 10) / (seconds / subjects.length))] ?? ''
    return moment('speech', n * 10, subject)
  })

test('starts a chapter where the subject changes, and titles it by what is said there', () => {
  const chapters = chaptersOf(lecture(900), [], 900)
  expect(chapters.map(({ start, end, title, from }) => [start, end, title, from])).toEqual([
    [0, 300, subjects[0], 'speech'],
    [300, 600, subjects[1], 'speech'],
    [600, 900, subjects[2], 'speech'],
  ])
})

test('titles a chapter by its on-screen text, or else by a caption, with the frame to show', () => {
  const moments = [moment('caption', 302, 'Boats lie in a harbour.', 4), moment('text', 605, 'Part three: Bees', 7)]
  const chapters = chaptersOf([...lecture(900), ...moments], [frame(1, 0), frame(4, 302), frame(7, 605)], 900)
  expect(chapters.map(({ title, from, frame_number }) => [title, from, frame_number])).toEqual([
    [subjects[0], 'speech', 1],
    ['Boats lie in a harbour.', 'caption', 4],
    ['Part three: Bees', 'text', 7],
  ])
})

test('splits speech about one subject at a long pause', () => {
  const [subject = ''] = subjects
  const speech = Array.from({ length: 60 }, (_, n) => moment('speech', n * 8 + (n < 31 ? 0 : 40), subject))
  const chapters = chaptersOf(speech, [], 560)
  expect(chapters.map(({ start }) => start)).toEqual([0, 288])
})

test('finds no chapters in short or silent media or media of unknown length', () => {
  expect(chaptersOf(lecture(210), [], 210)).toEqual([])
  expect(chaptersOf([], [frame(1, 0)], 7200)).toEqual([])
  expect(chaptersOf(lecture(900), [], null)).toEqual([])
})

test('splits thirty hours into at most sixty chapters, in order and without gaps, with short titles for long texts', () => {
  const hours = 30
  const speech = Array.from({ length: hours * 450 }, (_, n) =>
    moment('speech', n * 8, `Word${n % 97} speaks of matter${Math.floor(n / 300)} ${'and of more '.repeat(20)}`),
  )
  const chapters = chaptersOf(speech, [], hours * 3600)
  expect(chapters.length).toBeGreaterThan(30)
  expect(chapters.length).toBeLessThanOrEqual(60)
  expect(chapters.at(-1)?.end).toBe(hours * 3600)
  for (const [n, { start, title }] of chapters.entries()) {
    expect(start).toBe(n === 0 ? 0 : chapters[n - 1]?.end)
    expect(title.length).toBeLessThanOrEqual(91)
  }
})

test('cuts a title without spaces between characters', () => {
  const chapters = chaptersOf([moment('caption', 2, '𠮷'.repeat(60), 1), ...lecture(900)], [frame(1, 0)], 900)
  expect(chapters[0]?.title).toBe(`${'𠮷'.repeat(22)}…`)
})
