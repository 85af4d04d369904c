import type { Check } from '@mira/shared'
import type { FileChapter } from './file-chapters.ts'
import type { SubtitleTrack } from './subtitles.ts'

/** A film or recording on this machine's disk, with the format that its content has (an extension without the dot). */
export interface AvFile {
  filename: string
  /** As file-type names it: mp4, mov, mkv, webm, avi, asf, flv, mp3, wav, m4a, flac, ogg, aac, … */
  format: string
}

/** Properties of a film or recording. */
export interface AvInfo {
  /** Null when unknown. */
  durationSeconds: number | null
  /** Upright, in pixels; null when there are no moving pictures (a cover is none). */
  video: {
    codec: string
    width: number
    height: number
    framesPerSecond: number | null
    /** yuv420p and such; null when unknown. */
    pixelFormat: string | null
    /** Undefined for standard dynamic range and colours. */
    light?: WideLight
  } | null
  audio: { codec: string; sampleRate: number; channels: number } | null
  hasCover: boolean
  /** Title, artist, album, date and such, as the file names them, lower case; at most 30 of at most 500 characters. */
  tags: Record<string, string>
  /** Number of streams of subtitles that are text. */
  subtitleCount: number
  /** As the file names them, in order. */
  chapters: FileChapter[]
  /** Words of a song; timed ones still have their times. */
  lyrics: string | null
}

/** Light beyond that of every screen: by the curve of films (pq) or of broadcasts (hlg), or plain light of more colours. */
export type WideLight = 'pq' | 'hlg' | 'wide'

/** A frame as a JPEG in the output folder. */
export interface CutFrame {
  filename: string
  startSeconds: number
}

/** Takes films and recordings apart, in processes that can be killed, bounded in time and memory. */
export interface Av {
  /** ffmpeg or node-av with its version. */
  name(): Promise<string>
  check(): Check
  /** @throws ValidationError with code `damaged_media`, worded for the user; so do all other methods. */
  probe(file: AvFile, signal: AbortSignal): Promise<AvInfo>
  /**
   * Cuts frames at scene changes and at regular intervals, `most` altogether: for a long film the largest changes, with
   * some of every stretch. Frames similar to the previous one are left out. The result is deterministic. Progress is from
   * 0 to 1.
   */
  frames(
    file: AvFile,
    options: {
      folder: string
      longestSide: number
      max: number
      durationSeconds: number | null
      /** Only frames before this; the whole film when left out. */
      endSeconds?: number
      signal: AbortSignal
      onProgress?: (progress: number) => void
    },
  ): Promise<CutFrame[]>
  /**
   * Writes the frame at a time, or the next one, as an upright PNG in the film's size (at most 4096 pixels by default),
   * equally fast for long films. False when there is no such frame.
   */
  still(
    file: AvFile,
    options: { startSeconds: number; filename: string; longestSide?: number; signal: AbortSignal },
  ): Promise<boolean>
  /**
   * Writes the sound as a WAV: 16 kHz, mono, 16 bit. @returns its length in seconds; 0 without sound.
   * @param options.startSeconds start of the stretch.
   * @param options.mostSeconds length of the stretch; hours without it.
   */
  sound(
    file: AvFile,
    options: { filename: string; startSeconds?: number; maxSeconds?: number; signal: AbortSignal },
  ): Promise<number>
  /**
   * Writes what every browser plays: MP4 (H.264, AAC; at most 1280 pixels) or MP3.
   * @param options.isMotion it is the film of a picture, of some seconds: it does not wait for long ones, and has a minute.
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
