import { expect, it } from 'vitest'
import { likelyType } from './queue-entry.ts'

it.each([
  ['a.jfif', '', 'image'],
  ['FILM.MOV', '', 'video'],
  ['film.ogv', '', 'video'],
  ['song.wma', '', 'audio'],
  ['sound.mka', 'video/x-matroska', 'audio'],
  ['main.ts', 'video/mp2t', 'document'],
  ['voice', 'audio/mp4', 'audio'],
  ['file.unknown', 'image/x-unknown', 'image'],
  ['file.unknown', '', 'document'],
])('%s of the type "%s" is shown as %s until the server has read it', (name, type, mediaType) => {
  expect(likelyType({ name, type })).toBe(mediaType)
})
