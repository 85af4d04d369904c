// Tasks of the node-av process.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Encoder } from 'node-av/api'
import { FF_ENCODER_MJPEG, FF_ENCODER_PNG } from 'node-av/constants'
import { avGetPixFmtName, type Frame, type Stream } from 'node-av/lib'
import type { TaskContext } from '../../../platform/sandbox/process-protocol.ts'
import { writeWav } from '../../audio/wav.ts'
import { type AvInfo, avLimits, type CutFrame, guessesDuration, plausibleDuration, plausibleSize } from '../av.ts'
import { tidyTags } from '../av-tags.ts'
import { withEndTags } from '../end-tags.ts'
import { chaptersOfFile } from '../file-chapters.ts'
import { type FramePlan, fitFilter, jpegFilters, selectFilter, stillFilters, stillSeekTimes } from '../scene-frames.ts'
import { cuesOf, type SubtitlePacket, type SubtitleTrack, subtitleLimits } from '../subtitles.ts'
import {
  codecOf,
  colourConversionFilters,
  decodedFrames,
  filtered,
  filteredFrames,
  type MediaFile,
  type OpenedMedia,
  openDecoder,
  openFilter,
  openMedia,
  rotationOf,
  secondsOfFrame,
  seekBefore,
  selectStreams,
  uprightFilters,
  wideColourOf,
} from './media-input.ts'
import { playback, throttled } from './playback.ts'

type Progress = TaskContext<number>

export const tasks = { probe, frames, still, sound, cover, playback, subtitles }

/** Unit of FFmpeg's quality numbers (FF_QP2LAMBDA). */
const QUALITY_UNIT = 118

/** Reads a file's properties. */
async function probe({ file }: { file: MediaFile }): Promise<AvInfo> {
  using media = openMedia(file)
  const { demuxer, video, audio, cover } = media
  const duration = plausibleDuration(demuxer.duration)
  const info: AvInfo = {
    durationSeconds: duration,
    video: video ? describeVideo(video) : null,
    audio: audio
      ? {
          codec: codecOf(audio),
          sampleRate: audio.codecpar.sampleRate,
          channels: audio.codecpar.channels,
        }
      : null,
    hasCover: cover !== undefined,
    ...tidyTags(file.demuxer, await withEndTags(file.filename, file.demuxer, demuxer.metadata), [
      tagsOf(audio),
      tagsOf(video),
    ]),
    subtitleCount: media.subtitles.length,
    chapters: await chaptersOfFile(file.filename, file.demuxer),
  }
  if ((video || audio) && (duration === null || guessesDuration(file.demuxer))) {
    info.durationSeconds = plausibleDuration(measure(media)) ?? duration
  }
  return info
}

function tagsOf(stream: Stream | undefined): Record<string, string> {
  return stream?.metadata?.getAll() ?? {}
}

function describeVideo(stream: Stream): AvInfo['video'] {
  const { codecpar, sampleAspectRatio, avgFrameRate } = stream
  const pixelWidth = sampleAspectRatio.num > 0 ? sampleAspectRatio.num / sampleAspectRatio.den : 1
  const [width, height] = [Math.round(codecpar.width * pixelWidth), codecpar.height]
  const isSideways = rotationOf(stream) % 180 !== 0
  const size = plausibleSize(isSideways ? { width: height, height: width } : { width, height })
  if (size === null) return null
  const wideColour = wideColourOf(stream)
  return {
    codec: codecOf(stream),
    ...size,
    framesPerSecond: avgFrameRate.num > 0 && avgFrameRate.den > 0 ? avgFrameRate.num / avgFrameRate.den : null,
    pixelFormat: avGetPixFmtName(codecpar.format as never),
    ...(wideColour && { wideColour }),
  }
}

/** Duration in seconds, found by reading the whole file without decoding it. */
function measure(media: OpenedMedia): number {
  const streams = [media.video, media.audio].filter((stream) => stream !== undefined)
  selectStreams(media, streams)
  let end = 0
  for (const packet of media.demuxer.packetsSync()) {
    if (packet === null) break
    const { pts, dts, duration, timeBase } = packet
    const last = Math.max(Number(pts), Number(dts)) + Math.max(0, Number(duration))
    end = Math.max(end, (last * timeBase.num) / timeBase.den)
    packet.free()
  }
  return end - media.startSeconds
}

/** Extracts frames as JPEGs into a folder; null without a video. */
async function frames(
  input: {
    file: MediaFile
    folder: string
    longestSide: number
    plan: FramePlan
    /** For progress. */
    durationSeconds: number | null
    endSeconds: number | undefined
  },
  { emit }: Progress,
): Promise<CutFrame[] | null> {
  const { file, folder, longestSide, plan, durationSeconds, endSeconds = Number.POSITIVE_INFINITY } = input
  using media = openMedia(file)
  const { video } = media
  if (!video) return null
  selectStreams(media, [video], plan.isKeyFramesOnly)
  using decoder = openDecoder(video, plan.isKeyFramesOnly ? { skip_frame: 'nokey' } : {})
  const filters = [
    selectFilter(plan),
    ...uprightFilters(video),
    fitFilter(longestSide),
    ...colourConversionFilters(video),
  ]
  filters.push(...jpegFilters)
  using filter = openFilter(filters.join(','))
  const report = throttled(emit)
  const deadline = performance.now() + avLimits.framesTimeoutMs * 0.95
  const cutFrames: CutFrame[] = []
  for (const frame of filteredFrames(media, video, filter, decoder)) {
    const startSeconds = secondsOfFrame(frame, media)
    if (startSeconds >= endSeconds) break
    const filename = join(folder, `frame-${String(cutFrames.length + 1).padStart(5, '0')}.jpg`)
    await writeFile(filename, asJpeg(frame))
    cutFrames.push({ filename, startSeconds: Math.round(startSeconds * 1000) / 1000 })
    const end = Math.min(endSeconds, durationSeconds ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(end)) await report(startSeconds / end)
    if (cutFrames.length >= plan.max || performance.now() > deadline) break
  }
  return cutFrames
}

function asJpeg(frame: Frame): Buffer {
  return Encoder.encodeOneSync(FF_ENCODER_MJPEG, frame, {
    // not as `options`: node-av 6.1.1 frees them twice, which ends the process
    configure: (context) => {
      context.setOption('flags', '+qscale')
      context.setOption('global_quality', String(avLimits.frameQuality * QUALITY_UNIT))
    },
  })
}

/** Writes a frame as a PNG; false when there's none at or after the time. */
async function still(input: {
  file: MediaFile
  startSeconds: number
  filename: string
  longestSide?: number
}): Promise<boolean> {
  const { file, startSeconds, filename, longestSide } = input
  using media = openMedia(file)
  const { video } = media
  if (!video) return false
  selectStreams(media, [video])
  const { seekSeconds, fromSeconds } = stillSeekTimes(startSeconds)
  seekBefore(media, seekSeconds)
  using decoder = openDecoder(video)
  using filter = openFilter([...uprightFilters(video), ...stillFilters(longestSide, wideColourOf(video))].join(','))
  for (const frame of decodedFrames(media, video, decoder)) {
    if (secondsOfFrame(frame, media) < fromSeconds) continue
    // null flushes the filter, which may hold the frame back
    for (const filterInput of [frame, null]) {
      for (const picture of filtered(filter, filterInput)) {
        await writeFile(filename, Encoder.encodeOneSync(FF_ENCODER_PNG, picture), { mode: 0o600 })
        return true
      }
    }
  }
  return false
}

/** Writes the sound as a WAV. @returns its length in seconds; 0 without sound. */
async function sound(input: {
  file: MediaFile
  filename: string
  startSeconds?: number | undefined
  maxSeconds?: number | undefined
}): Promise<number> {
  const { file, filename, startSeconds = 0, maxSeconds = avLimits.maxSoundSeconds } = input
  using media = openMedia(file)
  const { audio } = media
  if (!audio) return 0
  selectStreams(media, [audio])
  seekBefore(media, startSeconds)
  using decoder = openDecoder(audio)
  const firstSample = Math.round((media.startSeconds + startSeconds) * 16_000)
  using filter = openFilter(
    `aresample=16000:async=1:first_pts=${firstSample},aformat=sample_fmts=s16:sample_rates=16000:channel_layouts=mono`,
  )
  const samples = function* () {
    for (const frame of filteredFrames(media, audio, filter, decoder)) yield frame.toBuffer()
  }
  // awaited here, since the input is closed when this function returns
  return await writeWav(filename, samples(), maxSeconds)
}

/** Reads text subtitles. */
async function subtitles({ file }: { file: MediaFile }): Promise<SubtitleTrack[]> {
  using media = openMedia(file)
  const streams = media.subtitles.slice(0, subtitleLimits.tracks)
  if (streams.length === 0) return []
  selectStreams(media, streams)
  const packets = new Map(streams.map(({ index }) => [index, [] as SubtitlePacket[]]))
  for (const packet of media.demuxer.packetsSync()) {
    if (packet === null) break
    const { pts, duration, timeBase, streamIndex, data } = packet
    const streamPackets = packets.get(streamIndex)
    if (streamPackets !== undefined && data !== null && streamPackets.length < subtitleLimits.cuesOfTrack) {
      const seconds = (time: bigint) => (Number(time) * timeBase.num) / timeBase.den
      const startSeconds = seconds(pts) - media.startSeconds
      streamPackets.push({ startSeconds, durationSeconds: seconds(duration), data: Buffer.from(data) })
    }
    packet.free()
  }
  return streams.map((stream) => ({
    language: tagsOf(stream).language ?? null,
    cues: cuesOf(codecOf(stream), packets.get(stream.index) ?? []),
  }))
}

/** Writes the cover picture unchanged; false without one. */
async function cover({ file, filename }: { file: MediaFile; filename: string }): Promise<boolean> {
  using media = openMedia(file)
  if (!media.cover) return false
  selectStreams(media, [media.cover])
  // not as attachedPic: that is freed twice (node-av 6.1.1), which ends the process
  for (const packet of media.demuxer.packetsSync(media.cover.index)) {
    const data = packet?.data && Buffer.from(packet.data)
    packet?.free()
    if (!data || data.length === 0 || data.length > avLimits.maxCoverBytes) return false
    await writeFile(filename, data, { mode: 0o600 })
    return true
  }
  return false
}
