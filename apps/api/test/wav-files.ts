import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '../src/parsers/audio/wav.ts'

/** A stretch of a made sound: a tone as loud as speech, or silence. */
export interface Stretch {
  seconds: number
  isSilent?: boolean
}

const AMPLITUDE = 8000

/** Writes a WAV (mono, 16 bit) of tones and silences into a temporary folder; its path. */
export function writeWav(stretches: Stretch[], sampleRate = 16_000): string {
  const samples = new Int16Array(stretches.reduce((sum, { seconds }) => sum + Math.round(seconds * sampleRate), 0))
  let at = 0
  for (const { seconds, isSilent = false } of stretches) {
    const end = at + Math.round(seconds * sampleRate)
    for (; at < end; at++) samples[at] = isSilent ? 0 : Math.round(AMPLITUDE * Math.sin(at / 7))
  }
  const filename = join(mkdtempSync(join(tmpdir(), 'mira-wav-')), 'sound.wav')
  writeFileSync(filename, encodeWav(samples, sampleRate))
  return filename
}
