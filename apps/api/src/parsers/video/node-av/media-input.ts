// Synchronous reading with node-av, only for processes that can be killed.
import { Decoder, Demuxer, FilterAPI } from 'node-av/api'
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_LOG_QUIET,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_DISPLAYMATRIX,
  AVCOL_PRI_BT2020,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AVDISCARD_ALL,
  AVDISCARD_DEFAULT,
  AVDISCARD_NONKEY,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants'
import { avGetCodecName, Frame, Log, type Packet, type Stream } from 'node-av/lib'
import { avLimits, type WideColour } from '../av.ts'
import { standardColourFilters } from '../scene-frames.ts'
import { isTextSubtitle } from '../subtitles.ts'

/** A file with FFmpeg's demuxer for it. */
export interface MediaFile {
  filename: string
  demuxer: string
}

/** An opened file with the streams in use. */
export interface OpenedMedia extends Disposable {
  demuxer: Demuxer
  video: Stream | undefined
  audio: Stream | undefined
  cover: Stream | undefined
  /** Text subtitles. */
  subtitles: Stream[]
  /** Start time in seconds. */
  startSeconds: number
}

const AV_TIME_BASE = 1_000_000
const PROBE_BYTES = 20_000_000
const PROBE_MICROSECONDS = 10_000_000

Log.setLevel(AV_LOG_QUIET)

/** Opens a file, but never a URL or file that it refers to. */
export function openMedia({ filename, demuxer: format }: MediaFile): OpenedMedia {
  const demuxer = Demuxer.openSync(`file:${filename}`, {
    format,
    options: {
      protocol_whitelist: 'file',
      max_streams: avLimits.maxStreams,
      probesize: PROBE_BYTES,
      analyzeduration: PROBE_MICROSECONDS,
    },
  })
  const isCover = (stream: Stream) => (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) !== 0
  const ofType = (type: number) => demuxer.streams.filter(({ codecpar }) => codecpar.codecType === type)
  const start = demuxer.getFormatContext().startTime
  return {
    demuxer,
    video: ofType(AVMEDIA_TYPE_VIDEO).find((stream) => !isCover(stream)),
    audio: ofType(AVMEDIA_TYPE_AUDIO)[0],
    cover: ofType(AVMEDIA_TYPE_VIDEO).find(isCover),
    subtitles: ofType(AVMEDIA_TYPE_SUBTITLE).filter((stream) => isTextSubtitle(codecOf(stream))),
    startSeconds: start === AV_NOPTS_VALUE ? 0 : Number(start) / AV_TIME_BASE,
    [Symbol.dispose]: () => demuxer.closeSync(),
  }
}

/** Limits reading to some streams. */
export function selectStreams({ demuxer }: OpenedMedia, streams: Stream[], isKeyFramesOnly = false): void {
  for (const stream of demuxer.streams) {
    const isWanted = streams.some(({ index }) => index === stream.index)
    stream.discard = isWanted ? (isKeyFramesOnly ? AVDISCARD_NONKEY : AVDISCARD_DEFAULT) : AVDISCARD_ALL
  }
}

/** A decoder that tolerates damage; `max_pixels` bounds the stated size. */
export function openDecoder(stream: Stream, options: Record<string, string | number> = {}): Decoder {
  return Decoder.createSync(stream, {
    exitOnError: false,
    threadCount: avLimits.threads,
    // not as `options`: node-av 6.1.1 frees them twice, which ends the process
    configure: (context) => {
      for (const [name, value] of Object.entries({ max_pixels: avLimits.maxPixels, ...options })) {
        const failure = context.setOption(name, String(value))
        if (failure < 0) throw new Error(`The decoder rejects the option ${name}: ${failure}`)
      }
    },
  })
}

/** Frames decoded from a packet; null flushes the decoder at the end of the file. */
export function* decode(decoder: Decoder, packet: Packet | null): Generator<Frame> {
  try {
    decoder.decodeSync(packet)
  } catch {
    // a damaged packet is left out, as ffmpeg does
  }
  yield* receivedFrames(decoder)
}

/** Output of a filter for a frame; null flushes the filter at the end of the file. */
export function* filtered(filter: FilterAPI, frame: Frame | null): Generator<Frame> {
  if (frame === null && !filter.isFilterInitialized) return
  filter.processSync(frame)
  yield* receivedFrames(filter)
}

function* receivedFrames(source: Decoder | FilterAPI): Generator<Frame> {
  for (;;) {
    const frame = source.receiveSync()
    if (!(frame instanceof Frame)) return
    try {
      yield frame
    } finally {
      frame.free()
    }
  }
}

/** All frames of one stream. */
export function* decodedFrames(media: OpenedMedia, stream: Stream, decoder: Decoder): Generator<Frame> {
  for (const packet of media.demuxer.packetsSync(stream.index)) {
    try {
      yield* decode(decoder, packet)
    } finally {
      packet?.free()
    }
  }
}

/** All frames of one stream through a filter. */
export function* filteredFrames(
  media: OpenedMedia,
  stream: Stream,
  filter: FilterAPI,
  decoder: Decoder,
): Generator<Frame> {
  for (const frame of decodedFrames(media, stream, decoder)) yield* filtered(filter, frame)
  yield* filtered(filter, null)
}

/** Seeks to the key frame of the selected streams before a time; in a file without an index, the position stays the same. */
export function seekBefore({ demuxer, startSeconds }: OpenedMedia, seconds: number): void {
  if (seconds > 0) demuxer.seekSync(startSeconds + seconds, -1, AVSEEK_FLAG_BACKWARD)
}

/** A single-threaded filter. */
export function openFilter(description: string): FilterAPI {
  return FilterAPI.create(description, { threads: 1 })
}

/** Presentation time of a frame, in seconds from the start of the file. */
export function secondsOfFrame({ pts, timeBase }: Frame, { startSeconds }: OpenedMedia): number {
  if (pts === AV_NOPTS_VALUE) return 0
  return Math.max(0, (Number(pts) * timeBase.num) / timeBase.den - startSeconds)
}

/** FFmpeg's name of a stream's codec. */
export function codecOf({ codecpar }: Stream): string {
  return avGetCodecName(codecpar.codecId) ?? 'unknown'
}

/** HDR or wide gamut of a video; undefined for standard colours. */
export function wideColourOf({ codecpar }: Stream): WideColour | undefined {
  if (codecpar.colorTrc === AVCOL_TRC_SMPTE2084) return 'pq'
  if (codecpar.colorTrc === AVCOL_TRC_ARIB_STD_B67) return 'hlg'
  return codecpar.colorPrimaries === AVCOL_PRI_BT2020 ? 'wide' : undefined
}

/** Filters that convert a video to standard colours. */
export const colourConversionFilters = (stream: Stream): string[] => standardColourFilters(wideColourOf(stream))

/** Clockwise rotation that makes a picture upright: 0, 90, 180 or 270. */
export function rotationOf(stream: Stream): number {
  const matrix = stream.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX)
  if (!matrix || matrix.length < 36) return 0
  const degrees = (Math.atan2(matrix.readInt32LE(4), matrix.readInt32LE(0)) * 180) / Math.PI
  return (((Math.round(degrees / 90) * 90) % 360) + 360) % 360
}

/** Filters that turn a picture upright. */
export function uprightFilters(stream: Stream): string[] {
  const filters: Record<number, string[]> = {
    90: ['transpose=clock'],
    180: ['hflip', 'vflip'],
    270: ['transpose=cclock'],
  }
  return filters[rotationOf(stream)] ?? []
}
