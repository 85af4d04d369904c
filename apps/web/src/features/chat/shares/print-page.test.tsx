// @vitest-environment happy-dom
import type { ChatSessionDetailJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { fetchChatSession } from '../conversation/chat-calls.ts'
import { PrintPage } from './print-page.tsx'

vi.mock('../conversation/chat-calls.ts')
beforeAll(() => loadTexts('shares', 'errors', 'chat'))

const message = (id: string, role: 'user' | 'assistant', content: string, sources: object[] = []) => ({
  ...{ id, role, content, sources, model_used: null, images: [], created_at: '2026-11-01T10:00:00.000Z' },
})
const part = (messages: object[], previous_cursor: string | null) =>
  ({
    session_name: 'Ferries',
    created_at: '2026-11-01T10:00:00.000Z',
    messages,
    previous_cursor,
  }) as unknown as ChatSessionDetailJson

it('prints all of a long conversation, with the URLs of web sources', async () => {
  const source = { n: 1, title: 'Ferry times', media_type: 'web', url: 'https://ferry.example/times' }
  vi.mocked(fetchChatSession)
    .mockResolvedValueOnce(
      part([message('3', 'user', 'And in winter?'), message('4', 'assistant', 'At ten [1].', [source])], 'c'),
    )
    .mockResolvedValueOnce(part([message('1', 'user', 'When?'), message('2', 'assistant', 'At nine.')], null))
  const print = vi.fn()
  vi.stubGlobal('print', print)
  const { user } = await renderPart(<PrintPage />)
  expect(await screen.findByRole('heading', { name: 'Ferries' })).toBeTruthy()
  expect(
    screen
      .getAllByRole('listitem')
      .map((item) => item.textContent)
      .join(' '),
  ).toMatch(/When\?.*At nine.*And in winter/)
  expect(screen.getByText('Sources: [1] Ferry times (https://ferry.example/times)')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Print or save as PDF' }))
  expect(print).toHaveBeenCalledOnce()
})
