import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A part of a video that shows one still image. */
export interface Scene {
  seconds: number
  colour?: string
  /** Base64 of a PNG or JPEG, fitted into the video. */
  picture?: string
}

/** A tone between two times in seconds, with silence around it. */
export interface Burst {
  start: number
  end: number
  hertz: number
}

/** Specification of a video or recording to create. */
export interface VideoSpec {
  filename: string
  /** FFmpeg's name of the muxer. */
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

export type VideoFormat = keyof typeof videoFormats
export type RecordingFormat = keyof typeof recordingFormats

/** Video formats that can be created, with their codecs. */
export const videoFormats = {
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

/** Audio formats that can be created. */
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

/** Creates a video or recording, in a separate process because node-av may crash. */
export async function createVideo(video: VideoSpec): Promise<string> {
  // Images are too long for a command line.
  const specificationFile = `${video.filename}.json`
  await writeFile(specificationFile, JSON.stringify(video))
  await execute(process.execPath, [join(import.meta.dirname, 'video-maker.ts'), specificationFile], {
    timeout: 180_000,
  })
  await rm(specificationFile)
  return video.filename
}

/**
 * Creates a video of three scenes of 2 seconds: grey, yellow or the image `text` (from textImage), and blue; each
 * has a second of sound, unless `isSilent`.
 */
export async function createThreeSceneVideo(
  folder: string,
  format: VideoFormat,
  options: { name?: string; isSilent?: boolean; text?: Buffer; width?: number; height?: number } = {},
): Promise<{ filename: string; format: string }> {
  const { name = `video-${format}`, isSilent = false, text, width = 640, height = 360 } = options
  const { muxer, extension, video, audio } = videoFormats[format]
  const middle: Scene = text
    ? { seconds: 2, colour: '#ffffff', picture: text.toString('base64') }
    : { seconds: 2, colour: '#f0c020' }
  const filename = await createVideo({
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

/** Creates a recording, by default of 6 seconds, with a second of sound at 0.5, 2.5 and 4.5 seconds. */
export async function makeRecording(
  folder: string,
  format: RecordingFormat,
  { name = 'recording', seconds = 6 }: { name?: string; seconds?: number } = {},
): Promise<{ filename: string; format: string }> {
  const { muxer, codec } = recordingFormats[format]
  const filename = await createVideo({
    filename: join(folder, `${name}.${format}`),
    muxer,
    audio: { codec, seconds, bursts: threeBursts },
  })
  return { filename, format }
}

/** Adds ID3 tags to an MP3: a title, an artist and a cover (a JPEG). */
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
  const length = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + (file[index] ?? 0), 0)
  return file.subarray(10 + length)
}

/** Sets the rotation of an MP4 to 90 degrees clockwise, as phones do. */
export async function turnMp4(filename: string): Promise<void> {
  const file = await readFile(filename)
  const matrix = file.indexOf('tkhd', 0, 'latin1') + 4 + 40
  const turned = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]
  for (const [n, value] of turned.entries()) file.writeInt32BE(value, matrix + n * 4)
  await writeFile(filename, file)
}
