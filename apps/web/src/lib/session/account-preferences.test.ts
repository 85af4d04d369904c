// @vitest-environment happy-dom
import { expect, it, vi } from 'vitest'
import { route } from '../../../test/routes.ts'
import { chooseTheme } from '../browser/theme.ts'
import type { createStore } from '../loading/store.ts'
import { saveAccountPreferences, watchAccountPreferences } from './account-preferences.ts'
import { session } from './session.ts'
import { settingsStore } from './settings.ts'

vi.mock('../browser/theme.ts')
vi.mock('./session.ts', async () => {
  const { createStore: create } = await vi.importActual<{ createStore: typeof createStore }>('../loading/store.ts')
  return { session: { state: create({ status: 'signed-out' }) } }
})

it('applies the account’s preferences, except those chosen before sign-in, which are saved to the account', async () => {
  const savePreferences = route('PATCH /me/preferences')
  watchAccountPreferences()
  await saveAccountPreferences({ language: 'de' })
  const preferences = { language: 'en', time_zone: 'Asia/Tokyo', theme: 'dark' }
  const user = { id: 'me', preferences }
  ;(session.state as ReturnType<typeof createStore<unknown>>).set({ status: 'signed-in', user })
  expect(settingsStore.get()).toMatchObject({ language: 'de', timezone: 'Asia/Tokyo' })
  expect(chooseTheme).toHaveBeenCalledWith('dark')
  await vi.waitFor(() => expect(savePreferences).toHaveBeenCalledExactlyOnceWith({ json: { language: 'de' } }))
})
