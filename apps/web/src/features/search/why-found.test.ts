import { expect, it } from 'vitest'
import { whyFound } from './why-found.ts'

const found = (given: Partial<Parameters<typeof whyFound>[0]>) =>
  whyFound({
    matched: 'words',
    found_in: 'text',
    media_type: 'image',
    timestamp_seconds: null,
    page: null,
    ...given,
  })

it('says where words stand', () => {
  expect(found({ found_in: 'speech', media_type: 'audio', timestamp_seconds: 245 })).toEqual(['saidAt'])
  expect(found({ media_type: 'video', timestamp_seconds: 83 })).toEqual(['onScreenAt'])
  expect(found({ media_type: 'document', page: 3 })).toEqual(['page'])
  expect(found({ media_type: 'document' })).toEqual(['inText'])
  expect(found({})).toEqual(['inPicture'])
  expect(found({ found_in: 'name' })).toEqual(['name'])
  expect(found({ found_in: 'caption' })).toEqual(['caption'])
  expect(found({ found_in: 'caption', media_type: 'video', timestamp_seconds: 0 })).toEqual(['seenAt'])
})

it('says when it is the meaning or the look that is alike', () => {
  expect(found({ matched: 'meaning', media_type: 'document', page: 3 })).toEqual(['meaning', 'page'])
  expect(found({ matched: 'looks', found_in: 'picture' })).toEqual(['looks'])
  expect(found({ matched: 'looks', found_in: 'picture', media_type: 'video', timestamp_seconds: 4 })).toEqual([
    'looksAt',
  ])
})
