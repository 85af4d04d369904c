// @vitest-environment happy-dom
import type { MediaDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { DocumentStage } from './document-stage.tsx'

const itemNamed = (original_filename: string) =>
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
  <DocumentStage item={itemNamed(name)} pageIndex={0} onPage={() => {}} words={words} />
)

it('renders Markdown', async () => {
  await renderPart(stage('garden.md'))
  expect((await screen.findByRole('heading', { name: 'Garden' })).dataset.depth).toBe('1')
})

it('shows Markdown as plain text when search words are highlighted in it', async () => {
  await renderPart(stage('garden.md', 'beans'))
  expect(screen.getByText('beans').tagName).toBe('MARK')
})

it('shows other text unchanged', async () => {
  await renderPart(stage('garden.txt'))
  expect(screen.getByText(/^# Garden/)).toBeTruthy()
})

it('shows code in a monospaced font', async () => {
  await renderPart(stage('garden.py'))
  expect(screen.getByText(/^# Garden/).classList).toContain('font-mono')
})
