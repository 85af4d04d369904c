import { expect, test } from 'vitest'
import type { Results } from '../results.ts'
import type { NewMoment, Part, StepContext } from '../step.ts'
import { createFrameTexts, type FrameText } from './frame-texts.ts'
import { createVideoSteps, type VideoStepsDeps } from './video.ts'

const read = (text: string, confidence: number | null = 0.8) => ({ text, words: [], confidence, language: null })
const rangesOf = (texts: string[], durationSeconds: number | null = 20) => {
  const frames = createFrameTexts()
  for (const [n, text] of texts.entries()) frames.add({ number: n + 1, startSeconds: n * 4 }, read(text))
  return frames
    .ranges(durationSeconds)
    .map(({ frameNumber, startSeconds, endSeconds, found }) => [frameNumber, startSeconds, endSeconds, found.text])
}

test('counts a text that stays over several frames once, until it disappears', () => {
  expect(rangesOf(['', 'Open today', 'Open today', 'open today!', '', 'Closed'])).toEqual([
    [2, 4, 16, 'Open today'],
    [6, 20, 20, 'Closed'],
  ])
})

test('gives the same ranges in turns as at once', () => {
  const texts = ['Open today', 'Open today', 'open today!', '', 'Closed', 'Closed']
  let frames = createFrameTexts()
  const before: FrameText[] = []
  for (const [n, text] of texts.entries()) {
    before.push(...frames.ended())
    frames = createFrameTexts(JSON.parse(JSON.stringify(frames.open())))
    frames.add({ number: n + 1, startSeconds: n * 4 }, read(text))
  }
  const all = [...before, ...frames.ranges(20)]
  const ranges = all.map(({ frameNumber, endSeconds, found }) => [frameNumber, endSeconds, found.text])
  expect(ranges).toEqual([
    [1, 12, 'Open today'],
    [5, 20, 'Closed'],
  ])
})

test('another text ends the one before it', () => {
  expect(rangesOf(['Arrivals', 'Departures'])).toEqual([
    [1, 0, 4, 'Arrivals'],
    [2, 4, 20, 'Departures'],
  ])
})

test('a text that reappears counts again', () => {
  expect(rangesOf(['Arrivals', '', 'Arrivals']).map(([frame]) => frame)).toEqual([1, 3])
})

test('keeps the most confident of similar readings, from where it was first seen', () => {
  const frames = createFrameTexts()
  frames.add({ number: 1, startSeconds: 0 }, read('the next train leaves at noon from p1atform', 0.5))
  frames.add({ number: 2, startSeconds: 4 }, read('the next train leaves at noon from platform', 0.9))
  expect(frames.ranges(8)).toMatchObject([
    {
      frameNumber: 1,
      startSeconds: 0,
      endSeconds: 8,
      found: { text: 'the next train leaves at noon from platform' },
    },
  ])
})

test('a video of unknown length ends with its last frame', () => {
  expect(rangesOf(['Arrivals'], null)).toEqual([[1, 0, 0, 'Arrivals']])
})

/** Fake video whose frames are read two at a time and captioned three at a time, with its stored results. */
function longVideo(count: number, durationSeconds: number) {
  const stored = { checkpoint: null as unknown, entries: [] as unknown[], moments: [] as NewMoment[] }
  const processedFrames: number[] = []
  const parts = Array.from({ length: count }, (_, n) => ({ number: n + 1, startSeconds: n * 60 }) as Part)
  const results: Partial<Results> = {
    parts: async () => parts,
    readPart: async ({ number }) => new Uint8Array([number]),
    store: async () => undefined as never,
    setWords: () => async () => {},
    checkpoint: async () => structuredClone(stored.checkpoint),
    storeCheckpoint: async (_item, checkpoint, entries = []) => {
      stored.checkpoint = JSON.parse(JSON.stringify(checkpoint))
      stored.entries.push(...JSON.parse(JSON.stringify(entries)))
    },
    earlierFindings: async () => stored.entries,
    replaceMoments: async (_item, _kind, moments) => {
      stored.moments = moments
      return async () => {}
    },
  }
  let index = 0
  const deps = {
    results,
    av: {
      probe: async () => ({ chapters: [], durationSeconds: null }),
      still: async (_file: unknown, { startSeconds }: { startSeconds: number }) => {
        index = startSeconds / 60 + 1
        return true
      },
    },
    reader: {
      ...{ engine: 'built-in', model: 'test', reasonOff: () => null },
      readPicture: async () => {
        processedFrames.push(index)
        return read(`Sign ${Math.ceil(index / 3)}`)
      },
    },
    captions: {
      reasonOff: () => null,
      captionPicture: async ([number = 0]: Uint8Array) => {
        processedFrames.push(number)
        return { text: `Scene ${number}`, engine: 'remote', model: 'test', language: 'en' }
      },
    },
    limits: { framesInTurn: 2, captionsInTurn: 3 },
  } as unknown as VideoStepsDeps
  const steps = createVideoSteps(deps)
  const progressValues: number[] = []
  const context = {
    item: { mediaType: 'video', durationSeconds },
    ...{ filename: '', format: 'mp4', scratch: '', language: 'en', signal: new AbortController().signal },
    progress: (fraction: number) => progressValues.push(fraction),
  } as unknown as StepContext
  return { stored, processedFrames, progressValues, turn: (name: 'read' | 'caption') => steps[name]?.(context) }
}

test.each(['read', 'caption'] as const)(
  'a long video is processed in turns, and %s repeats no frames',
  async (name) => {
    const { stored, processedFrames, progressValues, turn } = longVideo(7, 3600)
    const turns = name === 'read' ? 4 : 3
    for (let n = 1; n < turns; n++) {
      expect(await turn(name)).toMatchObject({ isUnfinished: true })
      expect(stored.moments).toEqual([])
    }
    // A server that dies in a turn repeats that turn, and none before it.
    const checkpoint = stored.checkpoint
    await turn(name)
    stored.checkpoint = checkpoint
    expect(processedFrames).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await turn(name)).not.toHaveProperty('isUnfinished')
    expect(processedFrames).toEqual([1, 2, 3, 4, 5, 6, 7, 7])
    expect(progressValues).toEqual(progressValues.toSorted((a, b) => a - b))
    const texts = stored.moments.map(({ body, frameNumber }) => [frameNumber, body])
    expect(texts).toEqual(
      name === 'read'
        ? [
            [1, 'Sign 1'],
            [4, 'Sign 2'],
            [7, 'Sign 3'],
          ]
        : [[undefined, 'Scene 1 Scene 4 Scene 7'], ...[1, 2, 3, 4, 5, 6, 7].map((n) => [n, `Scene ${n}`])],
    )
  },
)
