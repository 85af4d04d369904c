// @vitest-environment happy-dom
import type { Source } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { Citation, CitedSourcesProvider } from './citation.tsx'

const source: Source = {
  n: 2,
  media_id: 'abc',
  media_type: 'document',
  title: 'Timetable',
  snippet: 'The harbour opens at nine.',
  thumbnail: null,
  url: '/gallery/abc?page=3',
  page: 3,
}

it('links to the cited source and names it', async () => {
  await renderPart(
    <CitedSourcesProvider value={[source]}>
      <Citation number={2}>[2]</Citation>
    </CitedSourcesProvider>,
  )
  const link = screen.getByRole('link', { name: 'Source 2: Timetable, page 3' })
  expect(link.getAttribute('href')).toBe('/gallery/abc?page=3')
})

it('is plain text when there is no such source', async () => {
  await renderPart(
    <CitedSourcesProvider value={[source]}>
      <Citation number={5}>[5]</Citation>
    </CitedSourcesProvider>,
  )
  expect(screen.queryByRole('link')).toBeNull()
  expect(screen.getByText('[5]')).toBeTruthy()
})
