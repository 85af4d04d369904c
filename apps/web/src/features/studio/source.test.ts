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

describe('sourceOfItem', () => {
  it('returns the image of an item, whichever frame is requested', () => {
    const source = sourceOfItem(item({}), 4)
    expect(source).toMatchObject({ name: 'valley.png', sizeBytes: 5, frameNumber: null, previewUrl: '/preview' })
    expect(source && inputOf(source)).toEqual({ mediaId: id, frameNumber: null })
    expect(sourceOfItem(item({ preview_url: null }), null)?.previewUrl).toBe('/thumbnail')
  })

  it('returns the requested frame of a video, or the first one, each with its own key', () => {
    const video = item({ media_type: 'video', frames })
    expect(sourceOfItem(video, 7)).toMatchObject({ frameNumber: 7, previewUrl: '/frame/7', sizeBytes: null })
    expect(sourceOfItem(video, null)).toMatchObject({ frameNumber: 2, previewUrl: '/frame/2' })
    expect(sourceOfItem(video, 7)?.key).not.toBe(sourceOfItem(video, 2)?.key)
  })

  it('returns null when there is no such image', () => {
    expect(sourceOfItem(item({ media_type: 'video', frames }), 3)).toBeNull()
    expect(sourceOfItem(item({ media_type: 'audio' }), null)).toBeNull()
    const pages = [{ page: 1, title: null, text: '', thumbnail: null, width: null, height: null, is_locked: false }]
    expect(sourceOfItem(item({ media_type: 'document', pages }), 1)).toBeNull()
  })
})
