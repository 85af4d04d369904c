// @vitest-environment happy-dom
import type { SearchResultJson } from '@mira/shared'
import { fireEvent, screen } from '@testing-library/react'
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

it('exposes a text to screen readers once: on the card’s face, or in the snippet if that repeats it', async () => {
  const { rerender } = await renderPart(<ResultCard result={result('nine')} fit="listed" onOpen={() => {}} />)
  const face = () => screen.getByText((words, element) => words === text && element?.hasAttribute('data-face') === true)
  expect(face().closest('[aria-hidden=true]')).toBeNull()
  rerender(<ResultCard result={result(text)} fit="listed" onOpen={() => {}} />)
  expect(face().closest('[aria-hidden=true]')).not.toBeNull()
  expect(screen.getAllByText(text).filter((match) => match.closest('[aria-hidden=true]') === null)).toHaveLength(1)
})

it('highlights a match in the file name, without repeating the name', async () => {
  const hit = result('ferry.txt · ferry')
  const highlights = [
    [0, 5],
    [12, 17],
  ] as [number, number][]
  await renderPart(<ResultCard result={{ ...hit, highlights, found_in: 'name' }} fit="best" onOpen={() => {}} />)
  const link = screen.getByRole('link')
  expect([link.textContent, link.querySelector('mark')?.textContent]).toEqual(['ferry.txt', 'ferry'])
  expect(screen.getAllByText('ferry')).toHaveLength(1)
})

it('shifts an image so that the match in it is visible', async () => {
  const hit = result('nine')
  const picture = { thumbnail: '/a.webp', media_type: 'image', box: [0.1, 0.05, 0.5, 0.1] } as const
  await renderPart(<ResultCard result={{ ...hit, ...picture, box: [...picture.box] }} fit="best" onOpen={() => {}} />)
  const image = document.querySelector('img')
  if (image === null) throw new Error('no image was rendered')
  for (const [side, pixels] of Object.entries({
    naturalWidth: 500,
    naturalHeight: 1000,
    clientWidth: 160,
    clientHeight: 90,
  }))
    Object.defineProperty(image, side, { value: pixels })
  fireEvent.load(image)
  expect(image.style.objectPosition).toBe('50% 0%')
})

it('shows the date taken when results are dated, and lists further matches', async () => {
  const picture = { ...result('A harbour'), media_type: 'image' } as const
  const { rerender } = await renderPart(<ResultCard result={picture} fit={null} isFilterOnly onOpen={() => {}} />)
  expect(screen.getByText(/^taken .*2026/)).toBeTruthy()
  const page = { ...result('The fare is three crowns.'), id: '2', page: 4, found_in: 'text' } as const
  rerender(<ResultCard result={result('nine')} others={[page]} fit="best" onOpen={() => {}} />)
  expect(screen.getByText('1 more match')).toBeTruthy()
  expect(screen.getByText('page 4').closest('a')?.textContent).toContain('The fare is three crowns.')
})
