// Encodes a video or recording with node-av in a separate process: node test/video-maker.ts <file with a VideoSpec as JSON>
import { readFileSync } from 'node:fs'
import { Encoder, FilterAPI, Muxer } from 'node-av/api'
import {
  AV_CHANNEL_ORDER_NATIVE,
  AV_LOG_ERROR,
  AV_PIX_FMT_RGB24,
  AV_SAMPLE_FMT_S16,
  type FFEncoderCodec,
} from 'node-av/constants'
import { Frame, Log, Rational } from 'node-av/lib'
import sharp from 'sharp'
import type { Scene, VideoSpec } from './videos.ts'

const SAMPLE_RATE = 48_000
const SAMPLES_PER_FRAME = 4800
const LOUDNESS = 20_000

interface Track {
  /** Writes the next frames, up to this second. */
  advance(seconds: number): void
  finish(): void
}

/** Fast settings of the encoders, since tests wait for them. */
const encoderOptions: Record<string, Record<string, string>> = {
  libx264: { preset: 'ultrafast' },
  libx265: { preset: 'ultrafast', 'x265-params': 'log-level=none' },
  libvpx: { deadline: 'realtime', 'cpu-used': '8' },
  'libvpx-vp9': { deadline: 'realtime', 'cpu-used': '8' },
  libsvtav1: { preset: '12' },
}
/** Samples per frame of each encoder. */
const frameSizes: Record<string, number> = {
  aac: 1024,
  libmp3lame: 1152,
  libvorbis: 64,
  wmav2: 2048,
  libopus: 960,
  flac: 4608,
}
const sampleFormats: Record<string, string> = {
  ...{ pcm_s16le: 's16', flac: 's16', libmp3lame: 's16p', libopus: 's16' },
}

Log.setLevel(AV_LOG_ERROR)
const spec = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as VideoSpec
const { video, audio } = spec
const videoSeconds = video?.scenes.reduce((sum, { seconds }) => sum + seconds, 0) ?? 0
const seconds = Math.max(videoSeconds, audio?.seconds ?? 0)
const muxer = Muxer.openSync(spec.filename, { format: spec.muxer })
const tracks: Track[] = []
if (video) tracks.push(await videoTrack(video))
if (audio) tracks.push(audioTrack(audio))
for (let at = 0.1; at < seconds + 0.1; at += 0.1) for (const track of tracks) track.advance(Math.min(at, seconds))
for (const track of tracks) track.finish()
await muxer.close()

async function videoTrack({
  codec,
  width,
  height,
  framesPerSecond,
  scenes,
  keyFrameEvery,
}: NonNullable<VideoSpec['video']>): Promise<Track> {
  const pictures: { end: number; pixels: Buffer }[] = []
  let end = 0
  for (const scene of scenes) {
    end += scene.seconds
    pictures.push({ end, pixels: await pixelsOf(scene, width, height) })
  }
  const filter = FilterAPI.create('format=yuv420p')
  const encoder = Encoder.createSync(codec as FFEncoderCodec, {
    filter,
    threadCount: 2,
    ...(keyFrameEvery === undefined ? {} : { gopSize: keyFrameEvery }),
    configure: (context) => {
      for (const [name, value] of Object.entries(encoderOptions[codec] ?? {})) context.setOption(name, value)
      context.framerate = new Rational(framesPerSecond, 1)
    },
  })
  const index = muxer.addStream(encoder)
  let count = 0
  const write = (frame: Frame | null) => {
    for (const one of filter.framesSync(frame)) {
      if (one === null) break
      for (const packet of encoder.encodeAllSync(one)) muxer.writePacketSync(packet, index)
    }
  }
  return {
    advance(seconds) {
      for (; count / framesPerSecond < Math.min(seconds, end) - 1e-6; count++) {
        const at = count / framesPerSecond
        const picture = pictures.find((one) => at < one.end - 1e-6)
        if (!picture) return
        const timeBase = { num: 1, den: framesPerSecond }
        const frame = Frame.fromVideoBuffer(picture.pixels, {
          width,
          height,
          format: AV_PIX_FMT_RGB24,
          pts: BigInt(count),
          timeBase,
        })
        frame.duration = 1n
        write(frame)
      }
    },
    finish() {
      write(null)
      for (const packet of encoder.encodeAllSync(null)) muxer.writePacketSync(packet, index)
    },
  }
}

function audioTrack({ codec, seconds: end, bursts }: NonNullable<VideoSpec['audio']>): Track {
  const rate = codec === 'libmp3lame' || codec === 'wmav2' ? 44_100 : SAMPLE_RATE
  const format = sampleFormats[codec] ?? 'fltp'
  const shape = `aformat=sample_fmts=${format}:sample_rates=${rate}:channel_layouts=stereo`
  const size = frameSizes[codec]
  // node-av may lose the end of audio that it splits into frames itself.
  const split = size === undefined ? '' : `,asetnsamples=${size}:p=0`
  const filter = FilterAPI.create(`aresample=${rate},${shape}${split}`)
  const encoder = Encoder.createSync(codec as FFEncoderCodec, { filter, bitrate: 96_000 })
  const index = muxer.addStream(encoder)
  let done = 0
  const write = (frame: Frame | null) => {
    for (const one of filter.framesSync(frame)) {
      if (one === null) break
      for (const packet of encoder.encodeAllSync(one)) muxer.writePacketSync(packet, index)
    }
  }
  return {
    advance(seconds) {
      while (done + 1 < Math.min(seconds, end) * SAMPLE_RATE) {
        const samples = Buffer.alloc(SAMPLES_PER_FRAME * 2)
        for (let n = 0; n < SAMPLES_PER_FRAME; n++) {
          const at = (done + n) / SAMPLE_RATE
          const burst = bursts.find(({ start, end }) => at >= start && at < end)
          if (burst) samples.writeInt16LE(Math.round(LOUDNESS * Math.sin(2 * Math.PI * burst.hertz * at)), n * 2)
        }
        const frame = Frame.fromAudioBuffer(samples, {
          nbSamples: SAMPLES_PER_FRAME,
          format: AV_SAMPLE_FMT_S16,
          sampleRate: SAMPLE_RATE,
          channelLayout: { nbChannels: 1, order: AV_CHANNEL_ORDER_NATIVE, mask: 4n },
          pts: BigInt(done),
          timeBase: { num: 1, den: SAMPLE_RATE },
        })
        write(frame)
        done += SAMPLES_PER_FRAME
      }
    },
    finish() {
      write(null)
      for (const packet of encoder.encodeAllSync(null)) muxer.writePacketSync(packet, index)
    },
  }
}

async function pixelsOf({ picture, colour }: Scene, width: number, height: number): Promise<Buffer> {
  const background = colour ?? '#000000'
  const scene = picture
    ? sharp(Buffer.from(picture, 'base64')).resize(width, height, { fit: 'contain', background })
    : sharp({ create: { width, height, channels: 3, background } })
  return scene.flatten({ background }).raw().toBuffer()
}
