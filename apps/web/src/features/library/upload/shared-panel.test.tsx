// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { ApiError } from '../../../lib/api/client.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { SharedPanel } from './shared-panel.tsx'

const link = 'https://example.org/boathouse'

/** Stubs the service worker's cache, with one entry per shared file or text. */
function stubCache(shared: readonly { name: string; content: string }[]): Map<string, Response> {
  const cached = new Map(
    shared.map(({ name, content }, index) => {
      const headers = { 'x-name': name, 'x-shared-at': String(Date.now() + index), 'content-type': 'text/plain' }
      return [String(index), new Response(content, { headers })]
    }),
  )
  const cache = {
    keys: async () => [...cached.keys()],
    match: async (key: string) => cached.get(key),
    delete: async (key: string) => cached.delete(key),
  }
  vi.stubGlobal('caches', { has: async () => true, open: async () => cache })
  return cached
}

const sharedText = (content: object) => ({
  name: 'mira.shared-words',
  content: JSON.stringify({ title: '', text: '', url: '', ...content }),
})

it('keeps a link that couldn’t be saved, and saves only that the next time', async () => {
  await loadTexts('upload', 'errors')
  const cached = stubCache([
    { name: 'letter.txt', content: 'Dear Anna' },
    sharedText({ text: 'Two eggs' }),
    sharedText({ url: link }),
  ])
  const keepNote = route('POST /notes').mockResolvedValue({
    id: 'n1',
    metadata: { original_filename: 'Two eggs.md' },
  } as never)
  const savePage = route('POST /pages').mockRejectedValue(new ApiError(503, { code: 'unreachable', detail: 'Away' }))
  const onAddFiles = vi.fn()
  const { user } = await renderPart(<SharedPanel onAddFiles={onAddFiles} />)
  const panel = await screen.findByRole('group')
  await user.click(within(panel).getByRole('button', { name: 'Add to memory' }))
  await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(1))
  expect(within(panel).getByRole('listitem').textContent).toBe(link)
  expect([...cached.keys()]).toEqual(['2'])

  savePage.mockResolvedValue({ id: 'p1', metadata: { original_filename: 'Boathouse' } } as never)
  await user.click(within(panel).getByRole('button', { name: 'Add to memory' }))
  await waitFor(() => expect(screen.queryByRole('group')).toBeNull())
  expect(cached.size).toBe(0)
  expect(keepNote).toHaveBeenCalledOnce()
  expect(onAddFiles.mock.calls.map(([files]) => files.length)).toEqual([1, 0])
})
