// @vitest-environment happy-dom
import type { WebSettings } from '@mira/shared'
import { screen, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { WebCard } from './web-card.tsx'

const none: WebSettings = { allowed: false, provider: null, base_url: null, has_key: false, check: { state: 'off' } }
const open = (settings: WebSettings) => {
  route('GET /admin/web').mockResolvedValue(settings)
  return renderPart(<WebCard />)
}
beforeAll(() => loadTexts('web', 'errors'))
afterEach(() => vi.restoreAllMocks())

test('the switch allows the web and sends the search settings unchanged', async () => {
  const save = route('PUT /admin/web').mockResolvedValue({ ...none, allowed: true })
  const { user } = await open(none)
  await user.click(await screen.findByRole('switch', { name: 'Allow it in conversations' }))
  await vi.waitFor(() => expect(save).toHaveBeenCalledWith({ json: { allowed: true, provider: null, base_url: null } }))
})

test('the switch keeps what another administrator has changed since the settings were loaded', async () => {
  const changed: WebSettings = { ...none, allowed: true, provider: 'searxng', base_url: 'https://search.example.org' }
  route('GET /admin/web')
    .mockResolvedValueOnce({ ...none, allowed: true })
    .mockResolvedValue(changed)
  const save = route('PUT /admin/web').mockResolvedValue({ ...changed, allowed: false })
  const { user } = await renderPart(<WebCard />)
  await user.click(await screen.findByRole('switch', { name: 'Allow it in conversations' }))
  await vi.waitFor(() => expect(save).toHaveBeenCalled())
  const { provider, base_url } = changed
  expect(save).toHaveBeenCalledWith({ json: { allowed: false, provider, base_url } })
})

test('sets up search with an address and a key, and shows why its test failed', async () => {
  const save = route('PUT /admin/web').mockResolvedValue({
    allowed: false,
    provider: 'brave',
    base_url: 'https://api.search.brave.com',
    has_key: true,
    check: {
      state: 'error',
      reason: 'The search provider refuses the key.',
      told: [{ code: 'web_search_key_refused', params: {} }],
    },
  })
  const { user } = await open(none)
  await user.click(await screen.findByRole('button', { name: 'Set up search' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Web search' }))
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  expect(dialog.getByText('Enter the address of your SearXNG.')).toBeTruthy()
  await user.selectOptions(dialog.getByLabelText('Search provider'), 'Brave Search')
  await user.type(dialog.getByLabelText('Key'), 'BSA-1')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  expect(await screen.findByText('The search provider refuses the key.')).toBeTruthy()
  expect(save).toHaveBeenCalledWith({
    json: { allowed: false, provider: 'brave', base_url: 'https://api.search.brave.com', api_key: 'BSA-1' },
  })
  expect(screen.getByText('With a key')).toBeTruthy()
})

test('a late response doesn’t close a dialog opened meanwhile', async () => {
  const pendingSave = Promise.withResolvers<WebSettings>()
  const save = route('PUT /admin/web').mockReturnValue(pendingSave.promise)
  const { user } = await open(none)
  const setUpButton = await screen.findByRole('button', { name: 'Set up search' })
  await user.click(setUpButton)
  const dialog = within(await screen.findByRole('dialog', { name: 'Web search' }))
  await user.type(dialog.getByLabelText('Address'), 'https://search.example.org')
  await user.click(dialog.getByRole('button', { name: 'Save and test' }))
  await vi.waitFor(() => expect(save).toHaveBeenCalled())
  await user.click(dialog.getByRole('button', { name: 'Cancel' }))
  await user.click(setUpButton)
  pendingSave.resolve({ ...none, provider: 'searxng', base_url: 'https://search.example.org' })
  expect(await screen.findByText('SearXNG')).toBeTruthy()
  expect(screen.getByRole('dialog', { name: 'Web search' })).toBeTruthy()
})
