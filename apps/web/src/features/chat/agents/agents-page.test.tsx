// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { watchLanguage } from '../../../lib/i18n/i18n.ts'
import { settingsStore } from '../../../lib/session/settings.ts'
import { AgentsPage } from './agents-page.tsx'

const user = vi.hoisted(() => ({ role: 'user' }))
vi.mock('../../../lib/session/session.ts', async (original) => ({
  ...(await original<object>()),
  useUser: () => user,
  useSession: () => ({ status: 'signed-in', user }),
}))

it('says in the user’s language why an agent is unavailable', async () => {
  settingsStore.set({ ...settingsStore.get(), language: 'de' })
  await act(watchLanguage)
  const reason = {
    unavailable_reason: 'No news feed is listed.',
    unavailable_told: [{ code: 'no_news_feeds', params: {} }],
  }
  const words = { description: 'Shows news.', capabilities: [], intents: ['latest news'] }
  route('GET /agents/available').mockResolvedValue([{ name: 'NewsAgent', ...words, available: false, ...reason }])
  await renderPart(<AgentsPage />)
  expect(await screen.findByText(/Es ist kein Nachrichten-Feed eingetragen/)).toBeTruthy()
})
