import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProcessedItem } from '../step.ts'
import { createSubtitleFiles } from './subtitle-files.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-subtitles-'))
  writeFileSync(join(folder, 'a'), '1\n00:00:01,000 --> 00:00:02,000\nThe badger sleeps\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const retranscribedIds: string[] = []
const files = createSubtitleFiles({
  store: {
    findDocuments: async () => [
      { originalFilename: 'Holiday.de.srt', path: 'a' },
      { originalFilename: 'Holiday.in.the.snow.srt', path: 'a' },
    ],
    findVideos: async (_user, names) => (names.includes('Holiday') ? ['film'] : []),
  },
  files: { useLocal: (path, use) => use(join(folder, path)) },
  reprocessing: {
    reprocess: async (_user, id, steps) => {
      expect(steps).toEqual(['transcribe'])
      retranscribedIds.push(id)
    },
  },
})
const itemNamed = (originalFilename: string) => ({ userId: 'me', originalFilename }) as ProcessedItem

test('a video has the subtitles of the files that share its name', async () => {
  const cues = [{ startSeconds: 1, endSeconds: 2, text: 'The badger sleeps' }]
  const signal = new AbortController().signal
  expect(await files.tracksOf(itemNamed('holiday.mp4'), signal)).toEqual([{ language: 'de', cues }])
})

test('a subtitle file has its text without times, and its video is transcribed again', async () => {
  expect(files.wordsOf(itemNamed('Holiday.srt'), '1\n00:00:01,000 --> 00:00:02,000\nHello\n')).toBe('Hello')
  expect(files.wordsOf(itemNamed('Holiday.txt'), '1\n00:00:01,000 --> 00:00:02,000\nHello\n')).toBeNull()
  await files.enqueueTranscriptions(itemNamed('Holiday.de.srt'))
  await files.enqueueTranscriptions(itemNamed('Diary.txt'))
  expect(retranscribedIds).toEqual(['film'])
})
