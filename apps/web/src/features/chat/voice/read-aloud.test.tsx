// @vitest-environment happy-dom
import type { MeJson, PublicConfig } from '@mira/shared'
import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { useCapabilities, useFetchCapabilities } from '../use-capabilities.ts'
import { ReadAloud } from './read-aloud.tsx'
import { startSpeaking } from './speaker.ts'

vi.mock('../use-capabilities.ts', { spy: true })
vi.mock('./speaker.ts', async (original) => ({ ...(await original<object>()), startSpeaking: vi.fn() }))

beforeEach(async () => {
  vi.mocked(startSpeaking).mockClear()
  await loadTexts('voice')
  session.state.set({ status: 'signed-in', user: { role: 'user', can_use_voice: true } as MeJson })
})

/** Another observer of the capabilities: without one the query would end with the button. */
function CapabilitiesObserver() {
  useCapabilities()
  return null
}

/** Renders the button and clicks it before the capabilities are loaded. */
async function clickEarly() {
  const config = Promise.withResolvers<PublicConfig>()
  route('GET /config').mockReturnValue(config.promise)
  const { user, rerender } = await renderPart(
    <>
      <CapabilitiesObserver />
      <ReadAloud id="a" content="Hello" />
    </>,
  )
  await user.click(screen.getByRole('button', { name: 'Read aloud' }))
  return { config, rerender }
}

test('the server reads after a click that came before the capabilities were loaded', async () => {
  const { config } = await clickEarly()
  config.resolve({ capabilities: { speech: true } } as PublicConfig)
  await vi.waitFor(() => expect(startSpeaking).toHaveBeenCalledExactlyOnceWith('a', 'Hello', 'server', 'en'))
})

test('nothing is read once the button is unmounted', async () => {
  const { config, rerender } = await clickEarly()
  rerender(
    <>
      <CapabilitiesObserver />
      <p>Another screen</p>
    </>,
  )
  config.resolve({ capabilities: { speech: true } } as PublicConfig)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(startSpeaking).not.toHaveBeenCalled()
})

test('the browser reads when the server is unavailable', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.mocked(useFetchCapabilities).mockReturnValue(async () => Promise.reject(new Error('away')))
  await clickEarly()
  await vi.waitFor(() => expect(startSpeaking).toHaveBeenCalledExactlyOnceWith('a', 'Hello', 'browser', 'en'))
})
