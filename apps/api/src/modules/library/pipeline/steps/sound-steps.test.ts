import { expect, test } from 'vitest'
import type { Segment } from '../../../../engines/engine-types.ts'
import type { Av } from '../../../../parsers/video/av.ts'
import type { SubtitleTrack } from '../../../../parsers/video/subtitles.ts'
import { TRANSCRIPTION_TURN_SECONDS } from '../plan.ts'
import type { Results } from '../results.ts'
import type { NewMoment, StepContext } from '../step.ts'
import { createSoundSteps, subtitleAndLyricsMoments } from './sound-steps.ts'

/** Fake recording with a sentence of six seconds every ten seconds; some chunks can be silent. */
function recording(durationSeconds: number, { silent = [] as number[] } = {}) {
  const stored = {
    ...{ moments: null as NewMoment[] | null, checkpoint: null as unknown, entries: [] as unknown[] },
    /** Checkpoints written by the turns, as JSON. */
    written: [] as string[],
  }
  const chunkStarts: number[] = []
  let chunk = { start: 0, seconds: 0 }
  const steps = createSoundSteps({
    results: {
      checkpoint: async () => stored.checkpoint,
      storeCheckpoint: async (_item, checkpoint, entries = []) => {
        stored.checkpoint = structuredClone(checkpoint)
        stored.entries.push(...structuredClone(entries))
        stored.written.push(JSON.stringify([checkpoint, entries]))
      },
      earlierFindings: async () => stored.entries,
      replaceMoments: async (_item, _kind, moments) => {
        stored.moments = moments
        return async () => {}
      },
    } as Partial<Results> as Results,
    av: {
      probe: async () => ({
        ...{ durationSeconds, video: null, hasCover: false, subtitleCount: 0, chapters: [], lyrics: null, tags: {} },
        audio: { codec: 'aac', sampleRate: 48_000, channels: 1 },
      }),
      sound: async (_file, { startSeconds = 0, maxSeconds = Number.POSITIVE_INFINITY }) => {
        chunk = { start: startSeconds, seconds: Math.max(0, Math.min(maxSeconds, durationSeconds - startSeconds)) }
        chunkStarts.push(startSeconds)
        return chunk.seconds
      },
    } as Partial<Av> as Av,
    ai: {
      transcription: () => ({
        engine: 'local',
        model: () => 'whisper',
        async transcribe() {
          const segments: Segment[] = []
          for (let index = Math.ceil(chunk.start / 10) * 10; index < chunk.start + chunk.seconds; index += 10) {
            const start = index - chunk.start
            const end = Math.min(start + 6, chunk.seconds)
            segments.push({ start, end, text: `said at ${index}`, confidence: 0.9 })
          }
          return { segments, language: 'en', model: 'whisper' }
        },
      }),
      reasonOff: () => null,
    },
    subtitleFiles: { tracksOf: async () => [] },
    peaksOf: async () => [silent.includes(chunkStarts.length) ? 0 : 0.5],
  })
  const progressValues: number[] = []
  const context = {
    item: { mediaType: 'audio', durationSeconds },
    ...{ filename: '', format: 'mp3', scratch: '', language: 'en', signal: new AbortController().signal },
    progress: (fraction: number) => progressValues.push(fraction),
  } as unknown as StepContext
  return { stored, chunkStarts, progressValues, transcribe: () => steps.transcribe(context) }
}

test('transcribes a short recording at once', async () => {
  const { stored, transcribe } = recording(600)
  expect(await transcribe()).toMatchObject({ engine: 'local', model: 'whisper', findings: [expect.anything()] })
  expect(stored.moments).toHaveLength(60)
  expect(stored.checkpoint).toBeNull()
})

test('transcribes hours in chunks, with progress, and loses or splits no sentence where two of them meet', async () => {
  const seconds = 2 * TRANSCRIPTION_TURN_SECONDS + 304
  const { stored, chunkStarts, progressValues, transcribe } = recording(seconds)
  const turns = [await transcribe(), await transcribe()]
  expect(turns.map(({ isUnfinished }) => isUnfinished)).toEqual([true, true])
  expect(stored.moments).toBeNull()
  expect((await transcribe()).isUnfinished).toBeUndefined()
  expect(stored.moments?.map(({ body }) => body)).toEqual(
    Array.from({ length: Math.ceil(seconds / 10) }, (_, n) => `said at ${n * 10}`),
  )
  expect(stored.moments?.every(({ startSeconds, body }) => `said at ${startSeconds}` === body)).toBe(true)
  expect(chunkStarts).toHaveLength(3)
  expect(progressValues).toEqual(progressValues.toSorted((one, other) => one - other))
})

test('each turn of thirty hours stores no more than its own speech', async () => {
  const { stored, transcribe } = recording(30 * 3600)
  while ((await transcribe()).isUnfinished);
  expect(stored.written.length).toBeGreaterThanOrEqual(30 * 4 - 1)
  expect(stored.moments).toHaveLength(30 * 360)
  const bytes = stored.written.map(({ length }) => length)
  expect(Math.max(...bytes)).toBeLessThan(1.2 * (bytes[0] ?? 0))
})

test('skips a silent chunk', async () => {
  const { stored, transcribe } = recording(3 * TRANSCRIPTION_TURN_SECONDS, { silent: [2] })
  while ((await transcribe()).isUnfinished) expect(stored.moments).toBeNull()
  const bodies = new Set(stored.moments?.map(({ body }) => body))
  expect(bodies.has('said at 100')).toBe(true)
  expect(bodies.has(`said at ${TRANSCRIPTION_TURN_SECONDS + 100}`)).toBe(false)
  expect(bodies.has(`said at ${2 * TRANSCRIPTION_TURN_SECONDS + 100}`)).toBe(true)
})

test.each([
  ['de-AT', 'de'],
  ['English', 'en'],
  ['constructor', undefined],
  [null, undefined],
])('subtitles marked as %j have the language %j', (language, code) => {
  const cues = [{ startSeconds: 0, endSeconds: 2, text: 'Figs' }]
  const [moment] = subtitleAndLyricsMoments([{ language, cues } as SubtitleTrack], { lyrics: null, durationSeconds: 2 })
  expect(moment?.language).toBe(code)
})
