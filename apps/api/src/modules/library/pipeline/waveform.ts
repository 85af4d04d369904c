/** As many as a small picture of a recording shows. */
const FEW = 48
const HUNDREDTHS = 100

/** Loudness as it was noted: a list of figures from 0 to 1, or bytes in base64, 255 of which is the loudest. */
export function readWaveform(noted: unknown): number[] {
  if (Array.isArray(noted)) return noted.filter((one) => typeof one === 'number')
  return typeof noted === 'string' ? [...Buffer.from(noted, 'base64')].map((byte) => byte / 255) : []
}

/** The same in few levels, each the loudest of its part, for lists of many recordings. */
export function outlineWaveform(noted: unknown): number[] {
  const levels = readWaveform(noted)
  if (levels.length === 0) return []
  return Array.from({ length: FEW }, (_, part) => {
    const from = Math.floor((part * levels.length) / FEW)
    const to = Math.max(from + 1, Math.floor(((part + 1) * levels.length) / FEW))
    return Math.round(Math.max(...levels.slice(from, to)) * HUNDREDTHS) / HUNDREDTHS
  })
}
