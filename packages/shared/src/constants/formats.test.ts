import { expect, test } from 'vitest'
import { acceptedExtensionsOf } from './formats.ts'
import { mediaTypes } from './media.ts'

test('assigns file extensions to video or audio by common use, each to one media type', () => {
  expect(acceptedExtensionsOf('audio')).toEqual(expect.arrayContaining(['mka', 'wma', 'weba', '3ga', 'oga']))
  expect(acceptedExtensionsOf('video')).toEqual(expect.arrayContaining(['ogv', 'asf', '3gpp', 'qt']))
  const endings = mediaTypes.flatMap((mediaType) => acceptedExtensionsOf(mediaType))
  expect(new Set(endings).size).toBe(endings.length)
})
