import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { avTools } from '../../../test/video-tools.ts'
import { sniffFile } from '../sniff/sniff.ts'
import type { Av } from './av.ts'

const extensionOf = (name: string) => name.replace(/.*\./, '').replace('m2ts', 'mts')
const file = (name: string, format = extensionOf(name)) => ({
  filename: join(import.meta.dirname, '../../../test/video-files', name),
  format,
})
const signal = AbortSignal.timeout(300_000)

const english = [
  { startSeconds: expect.closeTo(0.5, 1), endSeconds: expect.closeTo(2, 1), text: 'Good evening, & welcome' },
  { startSeconds: expect.closeTo(2.5, 1), endSeconds: expect.closeTo(4, 1), text: 'The marmot sleeps' },
]
const chapters = [
  { startSeconds: 0, title: "The keeper's quarrel" },
  { startSeconds: 2, title: 'Fog over Grünau' },
]

describe.each(avTools)('with $name', ({ isInstalled, create }) => {
  describe.skipIf(!isInstalled)('files from other programs', () => {
    let av: Av
    let folder: string
    beforeAll(async () => {
      av = create()
      folder = await mkdtemp(join(tmpdir(), 'mira-strangers-'))
    })
    afterAll(async () => {
      await av?.close()
      await rm(folder, { recursive: true, force: true })
    })

    test('reads text subtitles from each container, without their markup', async () => {
      expect(await av.subtitles(file('subtitles.mp4'), signal)).toEqual([{ language: 'und', cues: english }])
      expect(await av.subtitles(file('subtitles.webm'), signal)).toEqual([{ language: null, cues: english }])
      const [first, second] = await av.subtitles(file('subtitles.mkv'), signal)
      expect([first?.language, first?.cues.length, second?.language]).toEqual(['eng', 2, 'deu'])
      expect(second?.cues.map(({ text }) => text)).toEqual(['Guten Abend', 'Das Murmeltier schläft'])
    })

    test.each([
      ['subtitles.mp4', 'mp4'],
      ['subtitles.mkv', 'mkv'],
      ['chapters.m4b', 'm4a'],
    ])('reads the titles and times of the chapters in %s', async (name, format) => {
      const info = await av.probe(file(name, format), signal)
      expect(info.chapters).toMatchObject(chapters)
      expect(info.tags).toMatchObject({ title: 'The Lighthouse' })
    })

    test.each(['hdr-pq.mp4', 'hdr-hlg.mp4'])('shows %s in the colours of its SDR version', async (name) => {
      const picture = join(folder, `${name}.png`)
      const copy = join(folder, `copy-of-${name}`)
      const colourAt = async (video: Parameters<Av['still']>[0]) => {
        await av.still(video, { startSeconds: 0, filename: picture, signal })
        return (await sharp(picture).stats()).channels.map(({ mean }) => mean)
      }
      await av.playback(file(name), { kind: 'video', filename: copy, durationSeconds: 1, signal })
      for (const colour of [await colourAt(file(name)), await colourAt({ filename: copy, format: 'mp4' })]) {
        for (const [n, byte] of [0xb0, 0x40, 0x28].entries()) expect(Math.abs((colour[n] ?? 0) - byte)).toBeLessThan(24)
      }
    })

    test.each([
      ['film.3gp', 'h263', 'aac'],
      ['film.mpg', 'mpeg1video', 'mp2'],
      ['film.m2ts', 'mpeg2video', 'mp2'],
      ['sound.aif', null, 'pcm_s8'],
      ['sound.caf', null, 'alac'],
    ])('%s is detected by content and can be played', async (name, video, audio) => {
      expect(await sniffFile(file(name).filename)).toMatchObject({
        mediaType: video ? 'video' : 'audio',
        format: extensionOf(name),
      })
      const info = await av.probe(file(name), signal)
      expect([info.video?.codec ?? null, info.audio?.codec]).toEqual([video, audio])
      expect(Math.abs((info.durationSeconds ?? 0) - 2)).toBeLessThan(0.3)
      const kind = video ? 'video' : 'audio'
      const copy = join(folder, `${name}.${video ? 'mp4' : 'mp3'}`)
      await av.playback(file(name), { kind, filename: copy, durationSeconds: 2, signal })
      const played = await av.probe({ filename: copy, format: video ? 'mp4' : 'mp3' }, signal)
      expect(Math.abs((played.durationSeconds ?? 0) - 2)).toBeLessThan(0.4)
    })
  })
})
