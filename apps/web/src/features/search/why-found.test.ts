import { expect, it } from 'vitest'
import { whyFound } from './result-places.tsx'

const explain = (overrides: Partial<Parameters<typeof whyFound>[0]>) =>
  whyFound({
    matched: 'words',
    found_in: 'text',
    media_type: 'image',
    timestamp_seconds: null,
    page: null,
    ...overrides,
  })

it('explains where words were found', () => {
  expect(explain({ found_in: 'speech', media_type: 'audio', timestamp_seconds: 245 })).toEqual(['saidAt'])
  expect(explain({ media_type: 'video', timestamp_seconds: 83 })).toEqual(['onScreenAt'])
  expect(explain({ media_type: 'document', page: 3 })).toEqual(['page'])
  expect(explain({ media_type: 'document' })).toEqual(['inText'])
  expect(explain({})).toEqual(['inPicture'])
  expect(explain({ found_in: 'name' })).toEqual(['name'])
  expect(explain({ found_in: 'name', is_named: true, is_in_details: true })).toEqual(['details'])
  expect(explain({ is_named: true, is_in_details: true })).toEqual(['inPicture', 'details'])
  expect(explain({ is_named: true })).toEqual(['inPicture', 'name'])
  expect(explain({ found_in: 'caption' })).toEqual(['caption'])
  expect(explain({ found_in: 'caption', media_type: 'video', timestamp_seconds: 0 })).toEqual(['seenAt'])
})

it('explains a match by meaning or appearance', () => {
  expect(explain({ matched: 'meaning', media_type: 'document', page: 3 })).toEqual(['meaning', 'page'])
  expect(explain({ matched: 'looks', found_in: 'picture' })).toEqual(['looks'])
  expect(explain({ matched: 'looks', found_in: 'picture', media_type: 'video', timestamp_seconds: 4 })).toEqual([
    'looksAt',
  ])
})
