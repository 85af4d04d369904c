// @vitest-environment happy-dom
import type { MeJson, PublicConfig } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { loadTexts } from '../../../lib/i18n/i18n.ts'
import { session } from '../../../lib/session/session.ts'
import { ReadAloud } from './read-aloud.tsx'
import { startSpeaking } from './speaker.ts'

vi.mock('./speaker.ts', async (original) => ({ ...(await original<object>()), startSpeaking: vi.fn() }))

test('a click that comes before it is known who speaks is read by the server', async () => {
  await loadTexts('voice')
  session.state.set({ status: 'signed-in', user: { role: 'user', can_use_voice: true } as MeJson })
  const config = Promise.withResolvers<PublicConfig>()
  route('GET /config').mockReturnValue(config.promise)
  const { user } = await renderPart(<ReadAloud id="a" content="Hello" />)
  await user.click(screen.getByRole('button', { name: 'Read aloud' }))
  config.resolve({ capabilities: { speech: true } } as PublicConfig)
  await vi.waitFor(() => expect(startSpeaking).toHaveBeenCalledExactlyOnceWith('a', 'Hello', 'server', 'en'))
})
