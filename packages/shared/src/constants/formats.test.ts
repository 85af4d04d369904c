import { expect, test } from 'vitest'
import { acceptedEndingsOf } from './formats.ts'
import { mediaTypes } from './media.ts'

test('assigns file extensions to video or audio by common use, each to one media type', () => {
  expect(acceptedEndingsOf('audio')).toEqual(expect.arrayContaining(['mka', 'wma', 'weba', '3ga', 'oga']))
  expect(acceptedEndingsOf('video')).toEqual(expect.arrayContaining(['ogv', 'asf', '3gpp', 'qt']))
  const endings = mediaTypes.flatMap((mediaType) => acceptedEndingsOf(mediaType))
  expect(new Set(endings).size).toBe(endings.length)
})
