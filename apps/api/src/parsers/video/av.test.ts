import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mp4 } from '../../../test/small-files.ts'
import {
  avCallsOf,
  avTools,
  damagedMediaError,
  expectColour,
  ffmpegPrograms,
  scenesOf,
  startSecondsOf,
  useVideos,
} from '../../../test/video-tools.ts'
import {
  createThreeSceneVideo,
  type RecordingFormat,
  recordingFormats,
  tagMp3,
  type VideoFormat,
  videoFormats,
} from '../../../test/videos.ts'
import { peaksOf } from '../audio/wav.ts'
import type { Av, CutFrame } from './av.ts'
import { createFfmpegAv } from './ffmpeg/ffmpeg.ts'

const videoFormatNames = Object.keys(videoFormats) as VideoFormat[]
const recordingFormatNames = Object.keys(recordingFormats) as RecordingFormat[]
const MUTATIONS = process.env.TEST_LONG ? 8 : 1
/** Videos and recordings, created once for both tools: ffmpeg and node-av. */
const { folder, once, videoOf, recording, copyOf, plainVideo } = useVideos()

describe.each(avTools)('with $name', ({ name, isInstalled, create }) => {
  describe.skipIf(!isInstalled)('videos and recordings', () => {
    let av: Av
    beforeAll(() => {
      av = create()
    })
    afterAll(() => av?.close())
    const { signal, scratch, framesOf, stillAt } = avCallsOf(() => av, folder)

    test.each(videoFormatNames)('probes a video of the kind %s', async (format) => {
      const { durationSeconds, video, audio, hasCover } = await av.probe(await videoOf(format), signal)
      expect({ video, audio, hasCover }).toEqual({
        video: {
          codec: videoFormats[format].codecs[0],
          ...{ width: 640, height: 360, framesPerSecond: expect.any(Number), pixelFormat: 'yuv420p' },
        },
        audio: { codec: videoFormats[format].codecs[1], sampleRate: expect.any(Number), channels: 2 },
        hasCover: false,
      })
      expect(Math.abs((durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
    })

    test.each(recordingFormatNames)('probes a recording of the kind %s and extracts its sound', async (format) => {
      const file = await recording(format)
      const { durationSeconds, video, audio } = await av.probe(file, signal)
      expect({ video, codec: audio?.codec }).toEqual({ video: null, codec: recordingFormats[format].name })
      expect(Math.abs((durationSeconds ?? 0) - 6)).toBeLessThan(0.2)

      const wav = join(await scratch(), 'sound.wav')
      expect(Math.abs((await av.sound(file, { filename: wav, signal })) - 6)).toBeLessThan(0.2)
      const peaks = await peaksOf(wav, 60)
      const peakAt = (seconds: number) => peaks[Math.round(seconds * 10)] ?? 0
      expect([1, 3, 5].map((seconds) => peakAt(seconds) > 0.2)).toEqual([true, true, true])
      expect([0.2, 2, 4, 5.8].map((seconds) => peakAt(seconds) < 0.05)).toEqual([true, true, true, true])
      expect((await readFile(wav)).toString('latin1', 0, 16)).toMatch(/^RIFF.{4}WAVEfmt /s)
    })

    test.each(videoFormatNames)(
      'cuts one frame of each scene of a video of the kind %s, small and in full size',
      async (format) => {
        const file = await videoOf(format)
        const frames = await framesOf(file)
        expect(startSecondsOf(frames).map((start) => Math.round(start))).toEqual([0, 2, 4])
        const scenes: [number, number, number][] = [
          [0x40, 0x40, 0x40],
          [0xf0, 0xc0, 0x20],
          [0x10, 0x30, 0xa0],
        ]
        for (const [n, colour] of scenes.entries()) {
          const { filename, startSeconds } = frames[n] as CutFrame
          await expectColour(filename, colour)
          const still = (await stillAt(file, startSeconds)) ?? ''
          await expectColour(still, colour)
          expect(await sharp(still).metadata()).toMatchObject({ format: 'png', width: 640, height: 360 })
        }
        const { width, height, format: kind } = await sharp(frames[0]?.filename).metadata()
        expect({ width, height, kind }).toEqual({ width: 320, height: 180, kind: 'jpeg' })
      },
    )

    test('extracts no sound from a silent video and no frames from a recording, without an error', async () => {
      const silent = await once('silent', () =>
        createThreeSceneVideo(folder(), 'mkv', { name: 'silent', isSilent: true }),
      )
      const wav = join(await scratch(), 'sound.wav')
      expect((await av.probe(silent, signal)).audio).toBeNull()
      expect(await av.sound(silent, { filename: wav, signal })).toBe(0)
      expect(await framesOf(await recording('mp3'))).toEqual([])
    })

    test('a track without a size isn’t a video', async () => {
      const filename = join(await scratch(), 'nothing.mp4')
      await writeFile(filename, mp4('isom', ['vide']))
      const probed = av.probe({ filename, format: 'mp4' }, signal)
      // the tools differ in whether they open it at all
      expect(await probed.catch((error: { code: string }) => error)).toEqual(
        expect.toBeOneOf([
          expect.objectContaining({ video: null, audio: null }),
          expect.objectContaining({ code: 'damaged_media' }),
        ]),
      )
    })

    test('the cover of a recording isn’t a video, and is extracted unchanged', async () => {
      const cover = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c02040' } })
        .jpeg()
        .toBuffer()
      const file = await copyOf(await recording('mp3'), `tagged-${name}`, () => undefined)
      await tagMp3(file.filename, { title: 'Grüße aus Łódź', artist: 'Ana', cover })
      const info = await av.probe(file, signal)
      expect(info).toMatchObject({ video: null, hasCover: true, tags: { title: 'Grüße aus Łódź', artist: 'Ana' } })
      expect(Math.abs((info.durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
      const picture = join(await scratch(), 'cover')
      expect(await av.cover(file, { filename: picture, signal })).toBe(true)
      expect((await readFile(picture)).equals(cover)).toBe(true)
      expect(await framesOf(file)).toEqual([])
      expect(await av.cover(await recording('wav'), { filename: picture, signal })).toBe(false)
    })

    test('measures a duration that the file doesn’t state', async () => {
      const file = await copyOf(await videoOf('webm'), `no-length-${name}`, (content) => {
        // its duration element becomes a void one
        content.set([0xec, 0x89], content.indexOf(Buffer.from([0x44, 0x89, 0x88])))
        return content
      })
      expect(Math.abs(((await av.probe(file, signal)).durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
    })

    test('cuts frames from what is there of a truncated video', async () => {
      const file = await copyOf(await videoOf('mkv'), `half-${name}`, (content) =>
        content.subarray(0, content.length * 0.6),
      )
      const frames = await framesOf(file)
      expect(frames.length).toBeGreaterThanOrEqual(1)
      expect(frames.length).toBeLessThanOrEqual(3)
    })

    test('refuses a video without its index, an empty file, junk and an unsupported format', async () => {
      const files = [
        await copyOf(await videoOf('mp4'), `no-index-${name}`, (content) =>
          content.subarray(0, content.indexOf('moov') - 4),
        ),
        await copyOf(await videoOf('mp4'), `empty-${name}`, () => Buffer.alloc(0)),
        await copyOf(await videoOf('avi'), `junk-${name}`, (content) => Buffer.alloc(content.length, 'junk')),
      ]
      for (const file of files) {
        const filename = join(await scratch(), 'made')
        const options = { folder: await scratch(), longestSide: 320, max: 10, durationSeconds: 6, signal }
        await expect(av.probe(file, signal)).rejects.toMatchObject(damagedMediaError)
        await expect(av.frames(file, options)).rejects.toMatchObject(damagedMediaError)
        await expect(av.sound(file, { filename, signal })).rejects.toMatchObject(damagedMediaError)
        await expect(av.playback(file, { kind: 'video', filename, durationSeconds: 6, signal })).rejects.toMatchObject(
          damagedMediaError,
        )
      }
      await expect(av.probe({ filename: files[1]?.filename ?? '', format: 'hls' }, signal)).rejects.toMatchObject({
        status: 415,
      })
    })

    test('never opens an address or file that a file refers to', async () => {
      const requestedUrls: string[] = []
      const server = createServer((request, response) => {
        requestedUrls.push(request.url ?? '')
        response.end()
      }).listen(0)
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret.ts`
      const otherFile = (await videoOf('mp4')).filename
      const lists = [address, `file:${otherFile}`].flatMap((target) => [
        `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n${target}\n#EXT-X-ENDLIST\n`,
        `ffconcat version 1.0\nfile '${target}'\n`,
        `<?xml version="1.0"?><MPD><Period><AdaptationSet><Representation><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
      ])
      const sdp = 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n'
      try {
        for (const [n, text] of [...lists, sdp].entries()) {
          for (const format of ['mp4', 'mkv', 'avi']) {
            const file = { filename: join(folder(), `list-${name}-${n}.${format}`), format }
            await writeFile(file.filename, text)
            await expect(av.probe(file, signal)).rejects.toMatchObject(damagedMediaError)
          }
        }
      } finally {
        server.close()
      }
      expect(requestedUrls).toEqual([])
    })

    test.each(['avi', 'wmv', 'flv', 'hevc', 'mkv'] as const)(
      'makes a copy that every browser plays of a video of the kind %s',
      async (format) => {
        const filename = join(await scratch(), 'copy.mp4')
        await av.playback(await videoOf(format), { kind: 'video', filename, durationSeconds: 6, signal })
        const { durationSeconds, video, audio } = await av.probe({ filename, format: 'mp4' }, signal)
        expect({ video: video?.codec, size: [video?.width, video?.height], audio: audio?.codec }).toEqual({
          video: 'h264',
          size: [640, 360],
          // ffmpeg copies MP3 sound, node-av encodes it again
          audio: videoFormats[format].codecs[1] === 'mp3' && name === 'ffmpeg' ? 'mp3' : 'aac',
        })
        expect(Math.abs((durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
        const starts = startSecondsOf(await framesOf({ filename, format: 'mp4' })).map((start) => Math.round(start))
        expect(starts).toEqual([0, 2, 4])
      },
    )

    test('makes an MP3 of a recording', async () => {
      const filename = join(await scratch(), 'copy.mp3')
      await av.playback(await recording('ogg'), { kind: 'audio', filename, durationSeconds: 6, signal })
      const { durationSeconds, audio } = await av.probe({ filename, format: 'mp3' }, signal)
      expect(audio?.codec).toBe('mp3')
      expect(Math.abs((durationSeconds ?? 0) - 6)).toBeLessThan(0.2)
    })

    test('stops at once when aborted', async () => {
      const file = await plainVideo('a video to wait for', 10, scenesOf(30, 3))
      const canceller = new AbortController()
      const filename = join(await scratch(), 'copy.mp4')
      const reason = new Error('Not wanted.')
      const work = av.playback(file, { kind: 'video', filename, durationSeconds: 90, signal: canceller.signal })
      // so early because this video is only copied, which takes a moment
      setTimeout(() => canceller.abort(reason), 20)
      await expect(work).rejects.toBe(reason)
      await expect(av.probe(file, canceller.signal)).rejects.toBe(reason)
    })

    test('reads or refuses mutated files, and reads the ones after them', async () => {
      let seed = 20_261_120
      const random = (below: number) => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
        return Math.floor((seed / 2 ** 32) * below)
      }
      for (const format of ['mp4', 'mkv', 'avi', 'wmv', 'flv'] as const) {
        for (let round = 0; round < MUTATIONS; round++) {
          const file = await copyOf(await videoOf(format), `mutated-${name}`, (content) => {
            // damaged headers break more than damaged frames
            for (let n = 0; n < 300; n++) content[random(n % 2 ? 4000 : content.length)] = random(256)
            return content
          })
          try {
            const { durationSeconds } = await av.probe(file, signal)
            await av.frames(file, { folder: await scratch(), longestSide: 320, max: 20, durationSeconds, signal })
            await av.sound(file, { filename: join(await scratch(), 'sound.wav'), signal })
          } catch (error) {
            expect(error).toMatchObject(damagedMediaError)
          }
        }
      }
      expect((await av.probe(await videoOf('mp4'), signal)).durationSeconds).toBeCloseTo(6, 1)
    }, 200_000)
  })
})

test.skipIf(ffmpegPrograms === undefined)('ffmpeg doesn’t inherit environment variables', async () => {
  const environmentFile = join(folder(), 'environment.txt')
  const wrapper = join(folder(), 'ffmpeg-that-tells')
  await writeFile(wrapper, `#!/bin/sh\nenv > '${environmentFile}'\nexec '${ffmpegPrograms?.ffmpeg}' "$@"\n`, {
    mode: 0o700,
  })
  process.env.SECRET_OF_THE_TEST = 'violet-harbour'
  try {
    const av = createFfmpegAv({ ...(ffmpegPrograms as NonNullable<typeof ffmpegPrograms>), ffmpeg: wrapper })
    const signal = AbortSignal.timeout(60_000)
    const filename = join(folder(), 'told.wav')
    expect(await av.sound(await recording('wav'), { filename, signal })).toBeGreaterThan(5)
    expect(await readFile(environmentFile, 'utf8')).not.toContain('violet-harbour')
    expect((await stat(filename)).size).toBeGreaterThan(100_000)
  } finally {
    delete process.env.SECRET_OF_THE_TEST
  }
})
