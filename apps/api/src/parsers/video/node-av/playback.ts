import { Encoder, Muxer } from 'node-av/api'
import { FF_ENCODER_AAC, FF_ENCODER_LIBMP3LAME, FF_ENCODER_LIBX264 } from 'node-av/constants'
import type { Frame, Packet, Stream } from 'node-av/lib'
import type { TaskContext } from '../../../platform/sandbox/process-protocol.ts'
import { avLimits } from '../av.ts'
import { fitFilter } from '../scene-frames.ts'
import {
  colourConversionFilters,
  decode,
  filtered,
  type MediaFile,
  openDecoder,
  openFilter,
  openMedia,
  selectStreams,
  uprightFilters,
} from './media-input.ts'

const EMIT_EVERY_MS = 300

/** Throttles progress reports. */
export function throttled(emit: (progress: number) => Promise<void>): (progress: number) => Promise<void> {
  let last = performance.now()
  return async (progress) => {
    if (performance.now() - last < EMIT_EVERY_MS) return
    last = performance.now()
    await emit(Math.min(1, Math.max(0, progress)))
  }
}

/** Transcodes a stream's packets into the output; null ends it. */
interface Track extends Disposable {
  stream: Stream
  take(packet: Packet | null): void
  hasWritten(): boolean
}

/** Writes a copy that every browser plays; false when the file has no stream of `kind`. */
export async function playback(
  input: { file: MediaFile; kind: 'video' | 'audio'; filename: string; durationSeconds: number | null },
  { emit }: TaskContext<number>,
): Promise<boolean> {
  const { file, kind, filename, durationSeconds } = input
  using media = openMedia(file)
  const { video, audio, startSeconds } = media
  if (!(kind === 'video' ? video : audio)) return false
  const report = throttled(emit)
  using muxer = Muxer.openSync(filename, {
    format: kind === 'video' ? 'mp4' : 'mp3',
    ...(kind === 'video' ? { options: { movflags: '+faststart' } } : {}),
  })
  using disposables = new DisposableStack()
  const tracks: Track[] = []
  if (kind === 'video' && video) tracks.push(disposables.use(videoTrack(video, muxer, startSeconds)))
  if (audio) tracks.push(disposables.use(audioTrack(audio, muxer, { kind, startSeconds })))
  selectStreams(
    media,
    tracks.map(({ stream }) => stream),
  )
  const byIndex = new Map(tracks.map((track) => [track.stream.index, track]))
  for (const packet of media.demuxer.packetsSync()) {
    if (packet === null) break
    const { pts, timeBase, streamIndex } = packet
    byIndex.get(streamIndex)?.take(packet)
    packet.free()
    const seconds = (Number(pts) * timeBase.num) / timeBase.den - media.startSeconds
    if (seconds > avLimits.maxPlaybackSeconds) break
    if (durationSeconds) await report(seconds / durationSeconds)
  }
  for (const track of tracks) track.take(null)
  // Without any output, there's no file.
  if (!tracks.some((track) => track.hasWritten())) throw new Error('Nothing in the file could be decoded.')
  return true
}

/** Filter that moves the start to zero, since the timestamps of broadcasts start later. */
const fromZero = (startSeconds: number) => `setpts=PTS-${startSeconds.toFixed(6)}/TB`

function videoTrack(stream: Stream, muxer: Muxer, startSeconds: number): Track {
  const { num, den } = stream.avgFrameRate
  const isFast = num <= 0 || den <= 0 || num / den > avLimits.playbackFramesPerSecond
  const filters = [
    fromZero(startSeconds),
    ...uprightFilters(stream),
    ...(isFast ? [`fps=${avLimits.playbackFramesPerSecond}`] : []),
    fitFilter(avLimits.playbackLongestSide),
    ...colourConversionFilters(stream),
    'format=yuv420p',
  ]
  return encodedTrack(stream, muxer, filters.join(','), (filter) =>
    Encoder.createSync(FF_ENCODER_LIBX264, {
      filter,
      threadCount: avLimits.threads,
      configure: (context) => {
        context.setOption('preset', 'superfast')
        context.setOption('crf', '24')
      },
    }),
  )
}

function audioTrack(
  stream: Stream,
  muxer: Muxer,
  { kind, startSeconds }: { kind: 'video' | 'audio'; startSeconds: number },
): Track {
  const isVideo = kind === 'video'
  const [rate, format, samples, codec, bitrate] = isVideo
    ? ([48_000, 'fltp', 1024, FF_ENCODER_AAC, 128_000] as const)
    : ([44_100, 's16p', 1152, FF_ENCODER_LIBMP3LAME, 160_000] as const)
  const shape = `aformat=sample_fmts=${format}:sample_rates=${rate}:channel_layouts=stereo`
  // in the encoder's frame size: node-av may lose the end when it splits frames itself
  const filter = `a${fromZero(startSeconds)},aresample=${rate}:async=1,${shape},asetnsamples=${samples}:p=0`
  return encodedTrack(stream, muxer, filter, (filter) => Encoder.createSync(codec, { filter, bitrate }))
}

function encodedTrack(
  stream: Stream,
  muxer: Muxer,
  description: string,
  openEncoder: (filter: ReturnType<typeof openFilter>) => Encoder,
): Track {
  const decoder = openDecoder(stream)
  const filter = openFilter(description)
  const encoder = openEncoder(filter)
  const outputIndex = muxer.addStream(encoder)
  let writtenBytes = 0
  const encode = (frame: Frame | null) => {
    if (frame === null && !encoder.isEncoderInitialized) return
    for (const packet of encoder.encodeAllSync(frame)) {
      writtenBytes += packet.size
      muxer.writePacketSync(packet, outputIndex)
      packet.free()
    }
    if (writtenBytes > avLimits.maxPlaybackBytes) throw new Error('The copy became too large.')
  }
  return {
    stream,
    take(packet) {
      for (const frame of decode(decoder, packet)) {
        for (const one of filtered(filter, frame)) encode(one)
      }
      if (packet !== null) return
      for (const frame of filtered(filter, null)) encode(frame)
      encode(null)
    },
    hasWritten: () => writtenBytes > 0,
    [Symbol.dispose]() {
      encoder.close()
      filter.close()
      decoder.close()
    },
  }
}
