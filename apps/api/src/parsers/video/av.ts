import type { Check } from '@mira/shared'
import { StorageFullError, UnsupportedTypeError, ValidationError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { FileChapter } from './comment-chapters.ts'
import type { SubtitleTrack } from './subtitles.ts'

/** Error for a damaged file. @param cause FFmpeg's message, for the log. */
export function damagedMedia(cause?: unknown): ValidationError {
  const sentence = say('content_damaged', { kind: 'file' })
  return new ValidationError(sentence, { code: 'damaged_media', cause })
}

/** Error for work stopped by its time limit. */
export function tooSlowMedia(): ValidationError {
  const sentence = say('content_slow', { kind: 'file' })
  return new ValidationError(sentence, { code: 'damaged_media' })
}

/** Error for a missing sound or video stream. */
export function missingStream(kind: 'video' | 'audio'): ValidationError {
  return new ValidationError(say('stream_missing', { kind }), { code: 'damaged_media' })
}

/** Error for a format that is never opened. */
export function unknownFormat(format: string): UnsupportedTypeError {
  const type = format.toUpperCase()
  return new UnsupportedTypeError(say('unplayable', { format: type }))
}

/** FFmpeg's message as an error for the user: a full disk or quota, or else a damaged file. */
export function asMediaError(message: string): ValidationError | StorageFullError {
  const isFull = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/i.test(message)
  return isFull ? new StorageFullError() : damagedMedia(new Error(message))
}

/** The demuxer for each format of content; no other is ever tried, whatever a file claims. */
const demuxers: Record<string, string> = {
  ...sameDemuxer('mov', ['mp4', 'm4v', 'mov', 'qt', 'm4a', 'm4b', 'm4p', 'f4v', 'f4a', '3gp', '3g2', 'mj2']),
  ...sameDemuxer('matroska', ['mkv', 'mka', 'webm']),
  ...sameDemuxer('asf', ['asf', 'wmv', 'wma']),
  ...sameDemuxer('ogg', ['ogg', 'oga', 'ogv', 'ogm', 'ogx', 'opus', 'spx']),
  ...sameDemuxer('mp3', ['mp3', 'mp2', 'mp1']),
  ...sameDemuxer('avi', ['avi']),
  ...sameDemuxer('flv', ['flv']),
  ...sameDemuxer('wav', ['wav']),
  ...sameDemuxer('flac', ['flac']),
  ...sameDemuxer('aac', ['aac']),
  ...sameDemuxer('mpegts', ['mts']),
  ...sameDemuxer('mpeg', ['mpg']),
  ...sameDemuxer('mpegvideo', ['m1v']),
  ...sameDemuxer('aiff', ['aif']),
  ...sameDemuxer('caf', ['caf']),
  ...sameDemuxer('amr', ['amr']),
}

/** Formats whose duration is estimated from the first seconds when there's no header. */
const estimating = new Set(['mp3', 'aac', 'amr', 'mpegvideo'])

/** FFmpeg's demuxer for a format; undefined for one that's never opened. */
export function demuxerOf(format: string): string | undefined {
  return Object.hasOwn(demuxers, format) ? demuxers[format] : undefined
}

/** True when the demuxer's duration may be a guess. */
export function guessesDuration(demuxer: string): boolean {
  return estimating.has(demuxer)
}

function sameDemuxer(demuxer: string, formats: string[]): Record<string, string> {
  return Object.fromEntries(formats.map((format) => [format, demuxer]))
}

/** Limits of both implementations, ffmpeg and node-av. */
export const avLimits = {
  /** Pixels of a decoded picture; a little over 8K. */
  maxPixels: 36_000_000,
  /** Longer stated lengths are implausible. */
  maxDurationSeconds: 30 * 24 * 3600,
  /** Longest sound that is transcribed; 1.4 GB as a WAV. */
  maxSoundSeconds: 12 * 3600,
  maxPlaybackBytes: 2_000_000_000,
  maxPlaybackSeconds: 6 * 3600,
  maxCoverBytes: 20_000_000,
  maxStreams: 100,
  threads: 2,
  /** JPEG quality on FFmpeg's scale: 2 is best, 31 worst. */
  frameQuality: 3,
  stillLongestSide: 4096,
  playbackLongestSide: 1280,
  playbackFramesPerSecond: 30,
  probeTimeoutMs: 60_000,
  stillTimeoutMs: 60_000,
  motionTimeoutMs: 60_000,
  soundTimeoutMs: 15 * 60_000,
  subtitlesTimeoutMs: 5 * 60_000,
  framesTimeoutMs: 15 * 60_000,
} as const

/** Time limit for short videos; longer ones may take as long as they last. */
const MIN_PLAYBACK_MS = 10 * 60_000
/** Time limit for files without a stated duration, which may be endless. */
const UNKNOWN_DURATION_MS = 30 * 60_000

/** Time limit for making a playback copy. */
export function playbackTimeoutMs(durationSeconds: number | null): number {
  if (durationSeconds === null) return UNKNOWN_DURATION_MS
  return Math.max(MIN_PLAYBACK_MS, Math.min(durationSeconds, avLimits.maxPlaybackSeconds) * 1000)
}

/** No supported format allows a longer side. */
const MAX_SIDE_PIXELS = 65_535

/** The size, in pixels; null when it's impossible, such as the 0 × 0 of a file without a video. */
export function plausibleSize(size: { width: number; height: number }): { width: number; height: number } | null {
  return [size.width, size.height].every((side) => side >= 1 && side <= MAX_SIDE_PIXELS) ? size : null
}

/** Stated duration of a file; null when implausible. */
export function plausibleDuration(seconds: number | undefined): number | null {
  return seconds !== undefined && seconds > 0 && seconds <= avLimits.maxDurationSeconds ? seconds : null
}

/** A video or recording on the local disk. */
export interface AvFile {
  filename: string
  /**
   * Format by content, an extension without the dot, as file-type names it: mp4, mov, mkv, webm, avi, asf, flv, mp3, wav, m4a,
   * flac, ogg, aac, …
   */
  format: string
}

/** Properties of a video or recording. */
export interface AvInfo {
  /** Null when unknown. */
  durationSeconds: number | null
  /** Video stream, with its upright size in pixels; null when there is none. A cover isn't a video. */
  video: {
    codec: string
    width: number
    height: number
    framesPerSecond: number | null
    /** yuv420p and such; null when unknown. */
    pixelFormat: string | null
    /** Undefined for standard dynamic range and colours. */
    wideColour?: WideColour
  } | null
  audio: { codec: string; sampleRate: number; channels: number } | null
  hasCover: boolean
  /** Title, artist, album, date and such, by lower-case name; at most 30 of at most 500 characters. */
  tags: Record<string, string>
  /** Number of text subtitle streams. */
  subtitleCount: number
  /** In order. */
  chapters: FileChapter[]
  /** Lyrics of a song, including any timestamps. */
  lyrics: string | null
}

/** HDR by its transfer curve (PQ, or HLG as in broadcasts), or standard range in a wide gamut. */
export type WideColour = 'pq' | 'hlg' | 'wide'

/** A frame as a JPEG in the output folder. */
export interface CutFrame {
  filename: string
  startSeconds: number
}

/** Decodes videos and recordings in processes that can be killed, bounded in time and memory. */
export interface Av {
  /** Name and version of the implementation, ffmpeg or node-av. */
  name(): Promise<string>
  check(): Check
  /** @throws ValidationError with code `damaged_media`, worded for the user; so do all other methods. */
  probe(file: AvFile, signal: AbortSignal): Promise<AvInfo>
  /**
   * Extracts frames at scene changes and at regular intervals, at most `max`: for a long video, those of the largest changes,
   * with some from every stretch. Frames similar to the previous one are left out. The result is deterministic. Progress is
   * from 0 to 1.
   */
  frames(
    file: AvFile,
    options: {
      folder: string
      longestSide: number
      max: number
      durationSeconds: number | null
      /** Only frames before this; the whole video when left out. */
      endSeconds?: number
      signal: AbortSignal
      onProgress?: (progress: number) => void
    },
  ): Promise<CutFrame[]>
  /**
   * Writes the frame at a time, or the next one, as an upright PNG in the video's size (at most 4096 pixels by default),
   * equally fast for long videos. False when there is no such frame.
   */
  still(
    file: AvFile,
    options: { startSeconds: number; filename: string; longestSide?: number; signal: AbortSignal },
  ): Promise<boolean>
  /**
   * Writes the sound as a WAV: 16 kHz, mono, 16 bit. @returns its length in seconds; 0 without sound.
   * @param options.startSeconds start of the stretch.
   * @param options.maxSeconds length of the stretch; hours without it.
   */
  sound(
    file: AvFile,
    options: { filename: string; startSeconds?: number; maxSeconds?: number; signal: AbortSignal },
  ): Promise<number>
  /**
   * Writes a copy that every browser plays: MP4 (H.264, AAC; at most 1280 pixels) or MP3.
   * @param options.isMotion true for the video of a live photo, a few seconds long: it doesn't wait for long videos, and its
   * time limit is a minute.
   */
  playback(
    file: AvFile,
    options: {
      kind: 'video' | 'audio'
      filename: string
      durationSeconds: number | null
      isMotion?: boolean
      signal: AbortSignal
      onProgress?: (progress: number) => void
    },
  ): Promise<void>
  /** Text subtitles of all languages, without bitmap ones. */
  subtitles(file: AvFile, signal: AbortSignal): Promise<SubtitleTrack[]>
  /** Writes the cover picture of a recording unchanged; false without one. */
  cover(file: AvFile, options: { filename: string; signal: AbortSignal }): Promise<boolean>
  close(): Promise<void>
}
