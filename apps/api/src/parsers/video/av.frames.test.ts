import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  avCallsOf,
  avTools,
  damagedMediaError,
  expectColour,
  scenesOf,
  startSecondsOf,
  useVideos,
} from '../../../test/video-tools.ts'
import { createThreeSceneVideo, turnMp4 } from '../../../test/videos.ts'
import type { Av } from './av.ts'

/** Created once for both tools. */
const { folder, videoOf, recording, copyOf, plainVideo } = useVideos()

describe.each(avTools)('with $name', ({ name, isInstalled, create }) => {
  describe.skipIf(!isInstalled)('videos and recordings', () => {
    let av: Av
    beforeAll(() => {
      av = create()
    })
    afterAll(() => av?.close())
    const { signal, framesOf, stillAt } = avCallsOf(() => av, folder)

    test('leaves out frames in which nothing changes', async () => {
      const file = await plainVideo('one colour', 10, [{ seconds: 13, colour: '#406080' }])
      expect(startSecondsOf(await framesOf(file))).toEqual([0])
    })

    test('cuts no more frames than wanted, from the whole video', async () => {
      const file = await plainVideo('forty scenes', 10, scenesOf(40, 0.6))
      const starts = startSecondsOf(await framesOf(file, { max: 6 }))
      expect(starts.length).toBeGreaterThanOrEqual(5)
      expect(starts.length).toBeLessThanOrEqual(6)
      expect(starts[0]).toBe(0)
      expect(starts.at(-1)).toBeGreaterThan(18)
    })

    test('can cut frames from only the beginning', async () => {
      expect(startSecondsOf(await framesOf(await videoOf('mp4'), { endSeconds: 3 })).map(Math.round)).toEqual([0, 2])
    })

    test.each([
      ['key frames', 'long video', 10],
      ['only one key frame', 'long video of one key frame', 100_000],
    ])('cuts frames from all of a long video with %s', async (_kind, videoName, keyFrameEvery) => {
      const file = await plainVideo(videoName, 1, scenesOf(20, 40), keyFrameEvery)
      const progress: number[] = []
      const frames = await framesOf(file, { max: 40, onProgress: (share) => progress.push(share) })
      const starts = startSecondsOf(frames)
      expect(starts.length).toBeGreaterThanOrEqual(15)
      expect(starts.length).toBeLessThanOrEqual(40)
      const gaps = starts.slice(1).map((start, n) => start - (starts[n] ?? 0))
      expect(Math.max(...gaps)).toBeLessThanOrEqual(60)
      expect(starts.at(-1)).toBeGreaterThan(740)
      expect(progress.every((share) => share >= 0 && share <= 1)).toBe(true)
    })

    test('rotates a video recorded with a turned phone upright', async () => {
      const { filename, format } = await createThreeSceneVideo(folder(), 'mp4', {
        name: `turned-${name}`,
        isSilent: true,
      })
      await turnMp4(filename)
      const file = { filename, format }
      expect((await av.probe(file, signal)).video).toMatchObject({ width: 360, height: 640 })
      const [frame] = await framesOf(file)
      expect(await sharp(frame?.filename).metadata()).toMatchObject({ width: 180, height: 320 })
      expect(await sharp((await stillAt(file, 2)) ?? '').metadata()).toMatchObject({ width: 360, height: 640 })
    })

    test('cuts a still anywhere between key frames, no larger than allowed', async () => {
      const file = await plainVideo('long video of one key frame', 1, scenesOf(20, 40), 100_000)
      const still = (await stillAt(file, 560, 80)) ?? ''
      await expectColour(still, [0xd0, 0x20, 0x20])
      expect(await sharp(still).metadata()).toMatchObject({ width: 80, height: 44 })
      await expectColour((await stillAt(file, 559)) ?? '', [0xe0, 0xe0, 0xe0])
    })

    test('cuts no still beyond the end or from a recording, and rejects an unreadable file', async () => {
      expect(await stillAt(await videoOf('mp4'), 60)).toBeNull()
      expect(await stillAt(await recording('mp3'), 1)).toBeNull()
      const junk = await copyOf(await videoOf('avi'), `no-video-${name}`, (content) =>
        Buffer.alloc(content.length, 'junk'),
      )
      await expect(stillAt(junk, 1)).rejects.toMatchObject(damagedMediaError)
    })
  })
})
