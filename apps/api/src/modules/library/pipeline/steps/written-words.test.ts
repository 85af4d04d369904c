import { expect, test } from 'vitest'
import { chapterMoments, coversSpeech, subtitleAndLyricsMoments } from './sound-steps.ts'

const nothing = { lyrics: null, durationSeconds: 100 }

test('each subtitle is a separate moment with its time and language', () => {
  const cues = [
    { startSeconds: 1, endSeconds: 3, text: 'The marmot\nsleeps' },
    { startSeconds: 4, endSeconds: 6, text: 'and snores' },
  ]
  expect(subtitleAndLyricsMoments([{ language: 'ger', cues }], nothing)).toMatchObject([
    { kind: 'speech', body: 'The marmot sleeps', startSeconds: 1, endSeconds: 3, language: 'de' },
    { kind: 'speech', body: 'and snores', startSeconds: 4 },
  ])
})

test.each([
  ['en-US', 'en'],
  ['es_MX', 'es'],
  ['de-AT', 'de'],
  ['French', 'fr'],
])('the language of %s is %s', (language, code) => {
  const cues = [{ startSeconds: 1, endSeconds: 3, text: 'marmot' }]
  expect(subtitleAndLyricsMoments([{ language, cues }], nothing)).toMatchObject([{ language: code }])
})

test('a few signs don’t cover the speech, but subtitles of a large part do', () => {
  const speech = (seconds: number) =>
    subtitleAndLyricsMoments(
      [{ language: null, cues: [{ startSeconds: 0, endSeconds: seconds, text: 'sign' }] }],
      nothing,
    )
  expect([coversSpeech([], 100), coversSpeech(speech(3), 100), coversSpeech(speech(40), 100)]).toEqual([
    false,
    false,
    true,
  ])
})

test('timed lyrics keep their times, and others are one text', () => {
  const timed = subtitleAndLyricsMoments([], { lyrics: '[00:01.50]Row, row\n[00:04.00]your boat', durationSeconds: 9 })
  expect(timed).toMatchObject([
    { body: 'Row, row', startSeconds: 1.5, endSeconds: 4 },
    { body: 'your boat', startSeconds: 4, endSeconds: 9 },
  ])
  expect(subtitleAndLyricsMoments([], { lyrics: 'Row, row\nyour boat', durationSeconds: 9 })).toMatchObject([
    { body: 'Row, row\nyour boat', startSeconds: 0 },
  ])
})

test('a repeated line of lyrics has each of its times, without word timestamps', () => {
  const lyrics = '[ar:Ann]\n[00:01.50][00:08:00]Row, <00:02.00>row\n[00:04.00]your boat\n[00:06.00]'
  expect(subtitleAndLyricsMoments([], { lyrics, durationSeconds: 9 })).toMatchObject([
    { body: 'Row, row', startSeconds: 1.5, endSeconds: 4 },
    { body: 'your boat', startSeconds: 4, endSeconds: 8 },
    { body: 'Row, row', startSeconds: 8, endSeconds: 9 },
  ])
})

test('a chapter ends where the next one begins', () => {
  const chapters = [
    { startSeconds: 0, endSeconds: null, title: 'Fog' },
    { startSeconds: 40, endSeconds: null, title: 'Sun' },
  ]
  expect(chapterMoments({ chapters, durationSeconds: 100 })).toMatchObject([
    { kind: 'text', body: 'Fog', startSeconds: 0, endSeconds: 40 },
    { kind: 'text', body: 'Sun', startSeconds: 40, endSeconds: 100 },
  ])
})

test('keeps a line of lyrics with a Unicode line separator together', () => {
  const lyrics = '[00:01]Row,\u2028row\n[00:04]your boat'
  expect(subtitleAndLyricsMoments([], { lyrics, durationSeconds: 9 }).map(({ body }) => body)).toEqual([
    'Row, row',
    'your boat',
  ])
})
