// @vitest-environment happy-dom
import type { SearchResultJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { ResultCard } from './result-card.tsx'

const text = 'The ferry leaves at nine.'
const result = (content: string) =>
  ({
    ...{ url: '/gallery/1', original_filename: 'ferry.txt', media_type: 'document', is_video_frame: false },
    ...{ content, extracted_text: text, caption: null, thumbnail: null, timestamp: '2026-11-20T12:00:00Z' },
    ...{ duration: null, timestamp_seconds: null, frame_number: null, similarity_score: 0.9 },
  }) as SearchResultJson

it('says a text once: on its face, or where the snippet repeats it, there', async () => {
  const { show } = await renderPart(<ResultCard result={result('nine')} fit="listed" onOpen={() => {}} />)
  const face = () => screen.getByText((words, element) => words === text && element?.hasAttribute('data-face') === true)
  expect(face().closest('[aria-hidden=true]')).toBeNull()
  show(<ResultCard result={result(text)} fit="listed" onOpen={() => {}} />)
  expect(face().closest('[aria-hidden=true]')).not.toBeNull()
  expect(screen.getAllByText(text).filter((one) => one.closest('[aria-hidden=true]') === null)).toHaveLength(1)
})
