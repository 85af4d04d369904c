import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeWav } from '../src/parsers/audio/wav.ts'

/** A part of generated audio: a tone as loud as speech, or silence. */
export interface Section {
  seconds: number
  isSilent?: boolean
}

const AMPLITUDE = 8000

/** Writes a WAV (mono, 16 bit) of tones and silences into a temporary folder. @returns its path. */
export function writeWav(sections: Section[], sampleRate = 16_000): string {
  const samples = new Int16Array(sections.reduce((sum, { seconds }) => sum + Math.round(seconds * sampleRate), 0))
  let index = 0
  for (const { seconds, isSilent = false } of sections) {
    const end = index + Math.round(seconds * sampleRate)
    for (; index < end; index++) samples[index] = isSilent ? 0 : Math.round(AMPLITUDE * Math.sin(index / 7))
  }
  const filename = join(mkdtempSync(join(tmpdir(), 'mira-wav-')), 'sound.wav')
  writeFileSync(filename, encodeWav(samples, sampleRate))
  return filename
}
