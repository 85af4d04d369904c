// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import type { DocumentPreview } from '@mira/shared/constants/media'
import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { DocumentView, hasDocumentView } from './document-view.tsx'

const preview: DocumentPreview = {
  pages: [
    { number: 1, title: 'Income', blocks: [{ kind: 'text', text: '<b>Salary</b>' }] },
    {
      number: 2,
      title: 'Budget',
      blocks: [
        { kind: 'heading', level: 1, text: 'Budget' },
        { kind: 'rows', rows: Array.from({ length: 201 }, (_, row) => ['Kindergarten', String(row)]) },
      ],
    },
  ],
  is_cut: false,
}
let response: Promise<DocumentPreview> = Promise.resolve(preview)
vi.mock('../../lib/api/library.ts', async (original) => ({
  ...(await original<object>()),
  fetchDocumentPreview: () => response,
}))

const item = {
  id: 'a',
  preview_url: '/api/media/a/preview',
  metadata: { content_type: 'application/vnd.oasis.opendocument.spreadsheet' },
  processing_status: 'completed',
} as unknown as MediaDetailJson

it('shows a sheet with its table, and the remaining rows of a long one on request', async () => {
  const { user } = await renderPart(<DocumentView item={item} page={2} storedText="" words="kindergarten" />)
  expect(await screen.findByRole('heading', { name: 'Budget' })).toBeTruthy()
  expect(document.querySelectorAll('tr')).toHaveLength(200)
  expect(screen.getAllByText('Kindergarten')[0]?.tagName).toBe('MARK')
  await user.click(screen.getByRole('button', { name: 'Show one more row' }))
  expect(document.querySelectorAll('tr')).toHaveLength(201)
})

it('shows markup in a document as text', async () => {
  await renderPart(<DocumentView item={item} page={1} storedText="" words="" />)
  expect(await screen.findByText('<b>Salary</b>')).toBeTruthy()
})

it('leaves PDFs and plain texts to other views', () => {
  const isShown = (content_type: string, preview_url: string | null = 'x') =>
    hasDocumentView({ preview_url, metadata: { content_type } } as MediaDetailJson)
  expect([isShown('text/html'), isShown('application/pdf'), isShown('text/plain'), isShown('text/html', null)]).toEqual(
    [...[true, false, false, false]],
  )
})

it('shows the stored text until the preview has loaded', async () => {
  const { promise, resolve } = Promise.withResolvers<DocumentPreview>()
  response = promise
  await renderPart(<DocumentView item={item} page={1} storedText="Salary, as it was read" words="" />)
  expect(screen.getByText('Salary, as it was read')).toBeTruthy()
  resolve(preview)
  expect(await screen.findByText('<b>Salary</b>')).toBeTruthy()
  expect(screen.queryByText('Salary, as it was read')).toBeNull()
})
