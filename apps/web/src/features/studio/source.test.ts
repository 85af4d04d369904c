import type { MediaDetailJson } from '@mira/shared'
import { describe, expect, it } from 'vitest'
import { inputOf, sourceOfItem } from './source.ts'

const id = '0198c3a0-0000-7000-8000-000000000001'
const item = (overrides: Partial<MediaDetailJson>) =>
  ({
    id,
    media_type: 'image',
    preview_url: '/preview',
    thumbnail: '/thumbnail',
    frames: [],
    pages: [],
    metadata: { original_filename: 'valley.png', size_bytes: 5 },
    ...overrides,
  }) as unknown as MediaDetailJson
const frames = [2, 7].map((number) => ({
  frame_number: number,
  timestamp_seconds: number,
  thumbnail: `/frame/${number}`,
  caption: null,
  extracted_text: null,
}))

describe('an item of the memory', () => {
  it('gives its own picture, whatever part is asked for', () => {
    const source = sourceOfItem(item({}), 4)
    expect(source).toMatchObject({ name: 'valley.png', sizeBytes: 5, frameNumber: null, previewUrl: '/preview' })
    expect(source && inputOf(source)).toEqual({ mediaId: id, frameNumber: null })
    expect(sourceOfItem(item({ preview_url: null }), null)?.previewUrl).toBe('/thumbnail')
  })

  it('gives the frame that is asked for, or the first one, each with a key of its own', () => {
    const film = item({ media_type: 'video', frames })
    expect(sourceOfItem(film, 7)).toMatchObject({ frameNumber: 7, previewUrl: '/frame/7', sizeBytes: null })
    expect(sourceOfItem(film, null)).toMatchObject({ frameNumber: 2, previewUrl: '/frame/2' })
    expect(sourceOfItem(film, 7)?.key).not.toBe(sourceOfItem(film, 2)?.key)
  })

  it('gives nothing where there is no such picture', () => {
    expect(sourceOfItem(item({ media_type: 'video', frames }), 3)).toBeNull()
    expect(sourceOfItem(item({ media_type: 'audio' }), null)).toBeNull()
    const pages = [{ page: 1, title: null, text: '', thumbnail: null, width: null, height: null, is_locked: false }]
    expect(sourceOfItem(item({ media_type: 'document', pages }), 1)).toBeNull()
  })
})
