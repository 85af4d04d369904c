import type { MediaItemRow } from './media.store.ts'
import type { NewMoment } from './processing.ts'

/** Metadata that people remember files by. */
const tellingDetails = [
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
const MOST_CHARACTERS = 1000

/** The words by which an item is found without looking into it: what its file is called, its tags, its camera. */
export function nameMoments(item: Pick<MediaItemRow, 'originalFilename' | 'details' | 'camera'>): [NewMoment] | [] {
  const details = item.details as Record<string, unknown>
  const told = tellingDetails.map((name) => details[name]).filter((value) => typeof value === 'string')
  const body = [item.originalFilename, wordsOf(item.originalFilename), ...told, item.camera ?? '']
    .map((text) => text.trim())
    .filter((text, place, all) => text !== '' && all.indexOf(text) === place)
    .join(' · ')
    .slice(0, MOST_CHARACTERS)
  return body === '' ? [] : [{ kind: 'name', body, language: null, engine: 'built-in', model: null, confidence: null }]
}

/** "IMG_2034-beachParty.final.jpg" → "IMG 2034 beach Party final" */
function wordsOf(filename: string): string {
  return filename
    .replace(/\.[^.]{1,5}$/, '')
    .replace(/(?:[\p{P}\p{S}\s]|\uFE0F|\u200D)+/gu, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .trim()
}
