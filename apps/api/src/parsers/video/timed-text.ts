import { assText, type Cue, subtitleLimits, tidyCues, withoutMarkup } from './subtitles.ts'

/** Endings of files of subtitles. */
const SUBTITLES = /\.(srt|vtt|ass|ssa)$/i
/** A language between the name of a film and this ending: film.en.srt, film.pt-BR.forced.srt. */
const LANGUAGE = /\.([a-z]{2,3})(?:-[a-z]{2,4})?(?:\.(?:forced|sdh|cc))?$/i

const TIME = /(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?/
const SPAN = new RegExp(`^\\s*${TIME.source}\\s*-->\\s*${TIME.source}`)

/** The name of the film that a file of subtitles belongs to, without its ending, and its language; null of other files. */
export function subtitlesFor(filename: string): { names: string[]; language: string | null } | null {
  if (!SUBTITLES.test(filename)) return null
  const name = filename.replace(SUBTITLES, '')
  const language = LANGUAGE.exec(name)?.[1] ?? null
  return { names: language === null ? [name] : [name, name.replace(LANGUAGE, '')], language }
}

/** The cues of a file of subtitles, whichever of the usual forms it has. */
export function cuesOfText(text: string): Cue[] {
  const lines = text.split('\n')
  const cues = lines.some((line) => line.startsWith('Dialogue:')) ? substationCues(lines) : spannedCues(lines)
  return tidyCues(cues)
}

const secondsOf = (hours = '0', minutes = '0', seconds = '0', fraction = '') =>
  Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction || '0'}`)

/** SubRip and WebVTT: a line of times, lines of text, an empty line. */
function spannedCues(lines: string[]): Cue[] {
  const cues: Cue[] = []
  let open: Cue | undefined
  const close = () => {
    if (open !== undefined) cues.push({ ...open, text: withoutMarkup(open.text) })
    open = undefined
  }
  for (const line of lines) {
    const [, h, m, s, ms, h2, m2, s2, ms2] = SPAN.exec(line.slice(0, 100)) ?? []
    if (m !== undefined) {
      close()
      if (cues.length >= subtitleLimits.cuesOfTrack) break
      open = { startSeconds: secondsOf(h, m, s, ms), endSeconds: secondsOf(h2, m2, s2, ms2), text: '' }
    } else if (line.trim() === '') close()
    else if (open !== undefined && open.text.length < subtitleLimits.characters) open.text += `${line}\n`
  }
  close()
  return cues
}

/** Advanced SubStation: its text comes after nine commas. */
function substationCues(lines: string[]): Cue[] {
  return lines.slice(0, 4 * subtitleLimits.cuesOfTrack).flatMap((line): Cue[] => {
    if (!line.startsWith('Dialogue:')) return []
    const fields = line.slice('Dialogue:'.length).split(',')
    const [start, end] = [fields[1], fields[2]].map((field) => TIME.exec(field ?? ''))
    if (!start || !end) return []
    const [startSeconds, endSeconds] = [start, end].map(([, h, m, s, cs]) => secondsOf(h, m, s, cs)) as [number, number]
    return [{ startSeconds, endSeconds, text: assText(fields.slice(9).join(',')) }]
  })
}
