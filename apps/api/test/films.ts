import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Some seconds of a film in which one picture stands still. */
export interface Scene {
  seconds: number
  colour?: string
  /** Base64 of a PNG or JPEG, fitted into the film. */
  picture?: string
}

/** A tone for some time; outside of it there is silence. */
export interface Burst {
  start: number
  end: number
  hertz: number
}

/** Specification of a film to make. */
export interface FilmToMake {
  filename: string
  /** FFmpeg's name of what writes the file. */
  muxer: string
  video?: {
    codec: string
    width: number
    height: number
    framesPerSecond: number
    scenes: Scene[]
    keyFrameEvery?: number
  }
  audio?: { codec: string; seconds: number; bursts: Burst[] }
}

export type FilmFormat = keyof typeof filmFormats
export type RecordingFormat = keyof typeof recordingFormats

/** Formats of films that can be made, with what is in them. */
export const filmFormats = {
  mp4: { muxer: 'mp4', extension: 'mp4', video: 'libx264', audio: 'aac', codecs: ['h264', 'aac'] },
  mov: { muxer: 'mov', extension: 'mov', video: 'libx264', audio: 'aac', codecs: ['h264', 'aac'] },
  mkv: { muxer: 'matroska', extension: 'mkv', video: 'libx264', audio: 'libvorbis', codecs: ['h264', 'vorbis'] },
  webm: { muxer: 'webm', extension: 'webm', video: 'libvpx', audio: 'libopus', codecs: ['vp8', 'opus'] },
  vp9: { muxer: 'webm', extension: 'webm', video: 'libvpx-vp9', audio: 'libopus', codecs: ['vp9', 'opus'] },
  avi: { muxer: 'avi', extension: 'avi', video: 'mpeg4', audio: 'libmp3lame', codecs: ['mpeg4', 'mp3'] },
  wmv: { muxer: 'asf', extension: 'asf', video: 'wmv2', audio: 'wmav2', codecs: ['wmv2', 'wmav2'] },
  flv: { muxer: 'flv', extension: 'flv', video: 'flv', audio: 'libmp3lame', codecs: ['flv1', 'mp3'] },
  hevc: { muxer: 'mp4', extension: 'mp4', video: 'libx265', audio: 'aac', codecs: ['hevc', 'aac'] },
  av1: { muxer: 'mp4', extension: 'mp4', video: 'libsvtav1', audio: 'aac', codecs: ['av1', 'aac'] },
} as const

/** Formats of recordings that can be made. */
export const recordingFormats = {
  wav: { muxer: 'wav', codec: 'pcm_s16le', name: 'pcm_s16le' },
  mp3: { muxer: 'mp3', codec: 'libmp3lame', name: 'mp3' },
  m4a: { muxer: 'ipod', codec: 'aac', name: 'aac' },
  flac: { muxer: 'flac', codec: 'flac', name: 'flac' },
  ogg: { muxer: 'ogg', codec: 'libvorbis', name: 'vorbis' },
  aac: { muxer: 'adts', codec: 'aac', name: 'aac' },
} as const

/** A second of sound in each of three scenes. */
export const threeBursts: Burst[] = [
  { start: 0.5, end: 1.5, hertz: 440 },
  { start: 2.5, end: 3.5, hertz: 660 },
  { start: 4.5, end: 5.5, hertz: 880 },
]

const execute = promisify(execFile)

/** Makes a film; in a process of its own, because node-av may take its process down. */
export async function makeFilm(film: FilmToMake): Promise<string> {
  // pictures are too long for a command line
  const told = `${film.filename}.json`
  await writeFile(told, JSON.stringify(film))
  await execute(process.execPath, [join(import.meta.dirname, 'film-maker.ts'), told], { timeout: 180_000 })
  await rm(told)
  return film.filename
}

/**
 * A film of three scenes of 2 seconds: grey, a text when one is given (a picture of it, as writtenPicture makes), blue;
 * with a second of sound in each, unless it is silent.
 */
export async function makeThreeScenes(
  folder: string,
  format: FilmFormat,
  options: { name?: string; isSilent?: boolean; text?: Buffer; width?: number; height?: number } = {},
): Promise<{ filename: string; format: string }> {
  const { name = `film-${format}`, isSilent = false, text, width = 640, height = 360 } = options
  const { muxer, extension, video, audio } = filmFormats[format]
  const middle: Scene = text
    ? { seconds: 2, colour: '#ffffff', picture: text.toString('base64') }
    : { seconds: 2, colour: '#f0c020' }
  const filename = await makeFilm({
    filename: join(folder, `${name}.${extension}`),
    muxer,
    video: {
      codec: video,
      ...{ width, height, framesPerSecond: 10 },
      scenes: [{ seconds: 2, colour: '#404040' }, middle, { seconds: 2, colour: '#1030a0' }],
    },
    ...(isSilent ? {} : { audio: { codec: audio, seconds: 6, bursts: threeBursts } }),
  })
  return { filename, format: extension }
}

/** A recording of 6 seconds with a second of sound from 0.5, from 2.5 and from 4.5 seconds on. */
export async function makeRecording(
  folder: string,
  format: RecordingFormat,
  { name = 'recording', seconds = 6 }: { name?: string; seconds?: number } = {},
): Promise<{ filename: string; format: string }> {
  const { muxer, codec } = recordingFormats[format]
  const filename = await makeFilm({
    filename: join(folder, `${name}.${format}`),
    muxer,
    audio: { codec, seconds, bursts: threeBursts },
  })
  return { filename, format }
}

/** Puts a title, an artist and a cover (a JPEG) in front of an MP3. */
export async function tagMp3(filename: string, tags: { title: string; artist: string; cover: Buffer }): Promise<void> {
  const frame = (id: string, body: Buffer) => {
    const header = Buffer.alloc(10)
    header.write(id, 0, 'latin1')
    header.writeUInt32BE(body.length, 4)
    return Buffer.concat([header, body])
  }
  const text = (value: string) => Buffer.concat([Buffer.from([3]), Buffer.from(value)])
  const picture = Buffer.concat([Buffer.from('\u0000image/jpeg\0\u0003\0', 'latin1'), tags.cover])
  const body = Buffer.concat([
    frame('TIT2', text(tags.title)),
    frame('TPE1', text(tags.artist)),
    frame('APIC', picture),
  ])
  const header = Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1')
  for (let byte = 0; byte < 4; byte++) header[9 - byte] = (body.length >> (7 * byte)) & 0x7f
  await writeFile(filename, Buffer.concat([header, body, await withoutId3(filename)]))
}

async function withoutId3(filename: string): Promise<Buffer> {
  const file = await readFile(filename)
  if (file.toString('latin1', 0, 3) !== 'ID3') return file
  const length = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (file[at] ?? 0), 0)
  return file.subarray(10 + length)
}

/** Writes into an MP4 that its pictures are to be turned by 90 degrees clockwise, as telephones do. */
export async function turnMp4(filename: string): Promise<void> {
  const file = await readFile(filename)
  const matrix = file.indexOf('tkhd', 0, 'latin1') + 4 + 40
  const turned = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]
  for (const [n, value] of turned.entries()) file.writeInt32BE(value, matrix + n * 4)
  await writeFile(filename, file)
}
