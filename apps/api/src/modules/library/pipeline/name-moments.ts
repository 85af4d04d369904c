import type { NewMoment, ProcessedItem } from './step.ts'

/** Metadata that users remember files by. */
const descriptiveDetails = [
  'title',
  'artist',
  'album',
  'album_artist',
  'composer',
  'author',
  'genre',
  'show',
  'description',
  'keywords',
  'people',
]
const MAX_CHARACTERS = 1000

/** What cameras, scanners, messengers and programs name files by themselves, in four languages. */
const automaticWords = new Set(
  `aud audio aufnahme archivo bearbeitet bild bilder bildschirmfoto burst camera captura capture clip copia copie copy
  datei doc document documento dokument dsc dscf dscn ecran edited enregistrement export facebook fichier file fotos foto
  gopr grabacion image imagen images img imgp instagram kopie memo messenger mmexport mov mvi nachricht neu neue neues new
  nota note notes notiz nouveau nouvelle nueva nuevo original pano pantalla photo photos pic picture portrait ptt pxl rec
  record recording sans scan scanned screen screenshot seite shot signal sin snapchat sound sprachmemo telegram text texto
  texte titre titulo track unbenannt unnamed untitled vid video vocal voice voz whatsapp win`.split(/\s+/),
)
const MIN_LATIN_LETTERS = 3
const EXTENSION = /\.[^.]{1,5}$/

/**
 * Searchable words of an item's metadata: file name, titles, camera. Their confidence is 0 where they say nothing of what
 * is in the file, like `IMG_2034.jpg`: those aren't embedded.
 */
export function nameMoments(item: Pick<ProcessedItem, 'originalFilename' | 'details' | 'camera'>): [NewMoment] | [] {
  const details = item.details as Record<string, unknown>
  const texts = descriptiveDetails.map((name) => details[name]).filter((value) => typeof value === 'string')
  const name = item.originalFilename.replace(EXTENSION, '')
  const body = [item.originalFilename, wordsOf(name), ...texts, item.camera ?? '']
    .map((text) => text.trim())
    .filter((text, place, all) => text !== '' && all.indexOf(text) === place)
    .join(' · ')
    .slice(0, MAX_CHARACTERS)
  const confidence = [name, ...texts].some(isTelling) ? null : 0
  return body === '' ? [] : [{ kind: 'name', body, language: null, engine: 'built-in', model: null, confidence }]
}

/** "IMG_2034-beachParty.final" → "IMG 2034 beach Party final" */
function wordsOf(name: string): string {
  return name
    .replace(/(?:[\p{P}\p{S}\s]|\uFE0F|\u200D)+/gu, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .trim()
}

/** True when some word is neither automatic nor a number, like `P1040523` or part of a hash. */
function isTelling(text: string): boolean {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.split(/[^\p{L}\p{N}]+/u).some((word) => {
    if (/\p{N}/u.test(word) || automaticWords.has(word)) return false
    return /\p{L}/u.test(word.replace(/\p{Script=Latin}/gu, '')) || word.length >= MIN_LATIN_LETTERS
  })
}
