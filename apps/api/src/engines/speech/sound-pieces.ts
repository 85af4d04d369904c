import type { Wav } from '../../parsers/audio/wav.ts'

/** Longest piece sent to a server. Five minutes are 10 MB: all servers accept that, and progress shows soon enough. */
export const REMOTE_PIECE_SECONDS = 300
/** Longest piece for a local model: Whisper's own window. */
export const LOCAL_PIECE_SECONDS = 30
/** A shorter remainder is skipped: no word fits into it. */
export const MIN_REST_SECONDS = 0.1

/** Stretch before a piece's end in which to look for a pause. */
const SEARCH_SECONDS = 10
const WINDOW_SECONDS = 0.3
/** Nobody speaks below this amplitude: about -50 dB of the 16-bit maximum. */
const SILENT_AMPLITUDE = 100

/** True when 16-bit samples contain no audible sound. */
export function isSilent(samples: Int16Array): boolean {
  for (const sample of samples) {
    if (sample > SILENT_AMPLITUDE || sample < -SILENT_AMPLITUDE) return false
  }
  return true
}

/** The middle of the quietest window, in samples from the start. */
function quietestSample(samples: Int16Array, sampleRate: number): number {
  const windowSamples = Math.round(WINDOW_SECONDS * sampleRate)
  if (samples.length <= windowSamples) return samples.length
  let sum = 0
  for (let index = 0; index < windowSamples; index++) sum += Math.abs(samples[index] ?? 0)
  let min = sum
  let start = 0
  for (let index = windowSamples; index < samples.length; index++) {
    sum += Math.abs(samples[index] ?? 0) - Math.abs(samples[index - windowSamples] ?? 0)
    // `<=` selects the last of equally quiet windows, so that pieces are long.
    if (sum <= min) {
      min = sum
      start = index - windowSamples + 1
    }
  }
  return start + Math.floor(windowSamples / 2)
}

/** The longest piece of a recording from `start` on, of at most `longestSeconds`, that ends in a pause. */
export async function nextPiece(
  wav: Wav,
  start: number,
  longestSeconds: number,
): Promise<{ samples: Int16Array<ArrayBuffer>; seconds: number }> {
  const samples = await wav.read(start, start + longestSeconds)
  if (start + longestSeconds >= wav.durationSeconds) return { samples, seconds: wav.durationSeconds - start }
  const searchFrom = samples.length - Math.round(Math.min(SEARCH_SECONDS, longestSeconds / 3) * wav.sampleRate)
  const end = searchFrom + quietestSample(samples.subarray(searchFrom), wav.sampleRate)
  return { samples: samples.slice(0, end), seconds: end / wav.sampleRate }
}
