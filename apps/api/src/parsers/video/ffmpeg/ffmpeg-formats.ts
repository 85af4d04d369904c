import { type AvInfo, avLimits, plausibleDuration, plausibleSize, type WideColour } from '../av.ts'
import { tidyTags } from '../av-tags.ts'
import { fitFilter, standardColourFilters } from '../scene-frames.ts'
import { isTextSubtitle, type SubtitlePacket } from '../subtitles.ts'

/** Output of ffprobe, as far as it's used; nothing in it is trusted. */
export interface FfprobeOutput {
  streams?: FfprobeStream[]
  format?: { duration?: string; start_time?: string; tags?: Record<string, string> }
  packets?: { pts_time?: string; duration_time?: string; data?: string }[]
}

interface FfprobeStream {
  index: number
  codec_type?: string
  codec_name?: string
  pix_fmt?: string
  color_transfer?: string
  color_primaries?: string
  width?: number
  height?: number
  sample_aspect_ratio?: string
  avg_frame_rate?: string
  sample_rate?: string
  channels?: number
  duration?: string
  disposition?: { attached_pic?: number }
  tags?: Record<string, string>
  side_data_list?: { rotation?: number }[]
}

/** Converts ffprobe's output. */
export function infoOf({ streams: all = [], format = {} }: FfprobeOutput, demuxer: string): Omit<AvInfo, 'chapters'> {
  const streams = all.slice(0, avLimits.maxStreams)
  const isCover = ({ disposition }: FfprobeStream) => disposition?.attached_pic === 1
  const video = streams.find((stream) => stream.codec_type === 'video' && !isCover(stream))
  const audio = streams.find(({ codec_type: type }) => type === 'audio')
  const size = video ? plausibleSize(uprightSize(video)) : null
  const wideColour = video && wideColourOf(video)
  const longest = Math.max(0, ...streams.map(({ duration }) => Number(duration ?? 0) || 0))
  return {
    durationSeconds: plausibleDuration(Number(format.duration)) ?? plausibleDuration(longest),
    video:
      video && size
        ? {
            codec: video.codec_name ?? 'unknown',
            ...size,
            framesPerSecond: rate(video.avg_frame_rate),
            pixelFormat: video.pix_fmt ?? null,
            ...(wideColour && { wideColour }),
          }
        : null,
    audio: audio
      ? {
          codec: audio.codec_name ?? 'unknown',
          sampleRate: Number(audio.sample_rate ?? 0) || 0,
          channels: audio.channels ?? 0,
        }
      : null,
    hasCover: streams.some(isCover),
    ...tidyTags(demuxer, format.tags ?? {}, [audio?.tags ?? {}, video?.tags ?? {}]),
    subtitleCount: textSubtitlesOf(streams).length,
  }
}

export function textSubtitlesOf(streams: FfprobeStream[]): FfprobeStream[] {
  return streams.filter(({ codec_type: type, codec_name: codec }) => type === 'subtitle' && isTextSubtitle(codec ?? ''))
}

function wideColourOf({ color_transfer: transfer, color_primaries: primaries }: FfprobeStream): WideColour | undefined {
  if (transfer === 'smpte2084') return 'pq'
  if (transfer === 'arib-std-b67') return 'hlg'
  return primaries === 'bt2020' ? 'wide' : undefined
}

/** Packets with their data, from ffprobe's hex dump. */
export function packetsOf({ packets = [], format = {} }: FfprobeOutput): SubtitlePacket[] {
  const startTime = Number(format.start_time ?? 0) || 0
  return packets.flatMap(({ pts_time: start, duration_time: duration, data = '' }) => {
    if (start === undefined || !Number.isFinite(Number(start))) return []
    const digits = data.replace(/^[0-9a-f]+: ((?:[0-9a-f]{2,4} ?)+) .*$/gm, '$1').replace(/[^0-9a-f]/g, '')
    return {
      startSeconds: Number(start) - startTime,
      durationSeconds: Number(duration) || 0,
      data: Buffer.from(digits, 'hex'),
    }
  })
}

function uprightSize(stream: FfprobeStream): { width: number; height: number } {
  const pixelWidth = rate(stream.sample_aspect_ratio?.replace(':', '/')) ?? 1
  const width = Math.round((stream.width ?? 0) * pixelWidth)
  const height = stream.height ?? 0
  const rotation = stream.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0
  return Math.abs(Math.round(rotation / 90)) % 2 === 1 ? { width: height, height: width } : { width, height }
}

/** Value of a fraction as FFmpeg writes it; null for anything else. */
function rate(fraction: string | undefined): number | null {
  const [numerator, denominator] = (fraction ?? '').split('/').map(Number)
  return numerator && denominator ? numerator / denominator : null
}

/** Progress in seconds from a line of FFmpeg's output; undefined for other lines. */
export function secondsOf(line: string): number | undefined {
  const match = /\btime=(\d+):(\d\d):(\d\d(?:\.\d+)?)/.exec(line)
  return match ? Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]) : undefined
}

/** Option for a variable frame rate, which was renamed in FFmpeg 5.1; the old name is deprecated. */
export function variableFrameRate(version: string): string[] {
  return /^5\.0(\D|$)/.test(version) ? ['-vsync', 'vfr'] : ['-fps_mode', 'vfr']
}

/** FFmpeg arguments for a copy that every browser plays; streams that are playable already are copied. */
export function playbackArguments(
  kind: 'video' | 'audio',
  { video, audio }: Pick<AvInfo, 'video' | 'audio'>,
): string[] {
  const bounds = ['-fs', String(avLimits.maxPlaybackBytes), '-t', String(avLimits.maxPlaybackSeconds)]
  const plain = ['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1', ...bounds]
  if (kind === 'audio') {
    return ['-map', '0:a:0', '-vn', ...plain, '-c:a', 'libmp3lame', '-b:a', '160k', '-ac', '2', '-f', 'mp3']
  }
  const canCopyVideo =
    video?.codec === 'h264' && video.wideColour === undefined && /^yuvj?420p$/.test(video.pixelFormat ?? '')
  const canCopyAudio = audio?.codec === 'aac' || audio?.codec === 'mp3'
  const filters = [`fps='min(source_fps,${avLimits.playbackFramesPerSecond})'`]
  filters.push(fitFilter(avLimits.playbackLongestSide), ...standardColourFilters(video?.wideColour), 'format=yuv420p')
  return [
    ...['-map', '0:V:0', '-map', '0:a:0?', ...plain],
    ...(canCopyVideo
      ? ['-c:v', 'copy']
      : ['-vf', filters.join(','), '-c:v', 'libx264', '-preset', 'superfast', '-crf', '24', '-profile:v', 'high']),
    ...(canCopyAudio ? ['-c:a', 'copy'] : ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000']),
    ...['-max_muxing_queue_size', '4000', '-movflags', '+faststart', '-f', 'mp4'],
  ]
}
