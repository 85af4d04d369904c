// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { DocumentStage } from './document-stage.tsx'

const called = (original_filename: string) =>
  ({
    id: 'a',
    url: '/api/media/a/file',
    preview_url: null,
    content: '# Garden\n\n- [x] beans',
    pages: [],
    processing_status: 'completed',
    processing_steps: [],
    metadata: { original_filename, content_type: 'text/plain', source: null, pages: null },
  }) as unknown as MediaDetailJson
const stage = (name: string, words = '') => (
  <DocumentStage item={called(name)} pageIndex={0} onPage={() => {}} words={words} />
)

it('shows Markdown as what its marks mean', async () => {
  await renderPart(stage('garden.md'))
  expect((await screen.findByRole('heading', { name: 'Garden' })).dataset.depth).toBe('1')
})

it('shows the text as it stands where words were searched for in it', async () => {
  await renderPart(stage('garden.md', 'beans'))
  expect(screen.getByText('beans').tagName).toBe('MARK')
})

it('shows any other text as it stands', async () => {
  await renderPart(stage('garden.txt'))
  expect(screen.getByText(/^# Garden/)).toBeTruthy()
})

it('shows code as code', async () => {
  await renderPart(stage('garden.py'))
  expect(screen.getByText(/^# Garden/).classList).toContain('font-mono')
})
