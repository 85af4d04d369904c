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
  /** Null when the file does not tell and it cannot be found out. */
  durationSeconds: number | null
  /** Upright, in pixels; null when there are no moving pictures (a cover is none). */
  video: {
    codec: string
    width: number
    height: number
    framesPerSecond: number | null
    /** yuv420p and such; null when unknown. */
    pixelFormat: string | null
    /** Left out where its light and colours are those of every screen. */
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

/** A frame as a JPEG in the folder that was given. */
export interface CutFrame {
  filename: string
  startSeconds: number
}

/** Takes films and recordings apart, in processes that can be killed, bounded in time and memory. */
export interface Av {
  /** ffmpeg or node-av with its version; none when there is neither. */
  name(): Promise<string>
  check(): Check
  /** @throws ValidationError with code `damaged_media` and a sentence for a person. So do all others. */
  probe(file: AvFile, signal: AbortSignal): Promise<AvInfo>
  /**
   * Cuts frames where the scene changes, and at least every so many seconds, `most` altogether: of a long film those at
   * which most changes, with some of every stretch. What looks like the frame before it is left out. The same file and
   * options give the same frames. Progress is from 0 to 1.
   */
  frames(
    file: AvFile,
    options: {
      folder: string
      longestSide: number
      most: number
      durationSeconds: number | null
      /** Only frames before this; the whole film when left out. */
      endSeconds?: number
      signal: AbortSignal
      onProgress?: (progress: number) => void
    },
  ): Promise<CutFrame[]>
  /**
   * Writes the frame that begins at a time, or else the next one, as a PNG: upright, as large as the film is (4096
   * pixels at most unless told otherwise). A film of hours takes no longer. False when there is no such frame.
   */
  still(
    file: AvFile,
    options: { startSeconds: number; filename: string; longestSide?: number; signal: AbortSignal },
  ): Promise<boolean>
  /**
   * Writes the sound as a WAV: 16 kHz, mono, 16 bit. Its length is what comes back, in seconds; 0 when there is none.
   * @param options.startSeconds what comes before is left out.
   * @param options.mostSeconds how much is taken; hours without it.
   */
  sound(
    file: AvFile,
    options: { filename: string; startSeconds?: number; mostSeconds?: number; signal: AbortSignal },
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
  /** Subtitles that are text, in the languages that the file has them in; not those that are pictures. */
  subtitles(file: AvFile, signal: AbortSignal): Promise<SubtitleTrack[]>
  /** Writes the picture on the cover of a recording as it is there; false when there is none. */
  cover(file: AvFile, options: { filename: string; signal: AbortSignal }): Promise<boolean>
  close(): Promise<void>
}
