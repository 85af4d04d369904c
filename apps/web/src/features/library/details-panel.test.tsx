// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { DetailsPanel } from './details-panel.tsx'

vi.mock('./tag-editor.tsx', () => ({ TagEditor: () => null }))

const AT = '2026-03-01T10:00:00.000Z'
const item: MediaDetailJson = {
  ...{ id: 'a', media_type: 'document', content: null, caption: null, extracted_text: null, transcription: null },
  ...{ thumbnail: null, url: '/file', preview_url: null, duration: null, timestamp: AT, frames_count: 0 },
  metadata: {
    ...{ original_filename: 'letter.txt', content_type: 'text/plain', size_bytes: 24, sha256: 'a'.repeat(64) },
    ...{
      width: null,
      height: null,
      pages: null,
      taken_at: null,
      taken_local: null,
      corrected: [],
      camera: null,
      latitude: null,
      longitude: null,
    },
    ...{ created_at: AT, source: null, details: {} },
  },
  ...{ thumbhash: null, tags: [], engines: {}, processing_status: 'completed', processing_steps: [], error: null },
  ...{ segments: [], frames: [], pages: [], words: [], waveform: [], locked: [], suggested_tags: [] },
  ...{ source_gone_at: null, moments_by_engine: {}, chapters: [] },
}

it('shows since when a file is missing from its watched folder, and nothing for other files', async () => {
  const { rerender } = await renderPart(<DetailsPanel item={item} onChange={async () => true} />)
  expect(screen.queryByText('Source')).toBeNull()
  rerender(<DetailsPanel item={{ ...item, source_gone_at: AT }} onChange={async () => true} />)
  expect(screen.getByText(/missing from its folder on the server since .*2026.*still kept here\./)).toBeTruthy()
})
