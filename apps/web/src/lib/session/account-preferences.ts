import type { Preferences, UpdatePreferences } from '@mira/shared'
import type { ThemeChoice } from '@mira/shared/constants/accounts'
import type { Language } from '@mira/shared/constants/languages'
import { ApiError, call } from '../api/client.ts'
import { chooseTheme } from '../browser/theme.ts'
import { session } from './session.ts'
import { saveSettings, settingsStore } from './settings.ts'

/** Preferences not saved to the account yet, chosen while signed out or without a connection. The end of a session drops them. */
let unsaved: UpdatePreferences = {}
let saving: Promise<void> | null = null

/**
 * Applies the account's preferences as soon as they're known, and saves those chosen before the sign-in to the account;
 * called once at start.
 */
export function watchAccountPreferences(): void {
  session.state.subscribe((state) => {
    if (state.status === 'signed-out') unsaved = {}
    if (state.status !== 'signed-in') return
    if (saving === null) apply({ ...state.user.preferences, ...unsaved })
    saveToAccount().catch((error) => console.warn('The preferences could not be saved to the account', error))
  })
}

/** Applies a theme on this device, and saves it for the signed-in user's other devices. */
export function saveTheme(choice: ThemeChoice): void {
  chooseTheme(choice)
  saveAccountPreferences({ theme: choice }).catch((error) =>
    // It's applied here, and saved when the account is fetched the next time.
    console.warn('The theme could not be saved to the account', error),
  )
}

/**
 * Saves changes to the account of the signed-in user, or of the next one who signs in.
 *
 * @throws ApiError when the server refuses or can't be reached; in the latter case they're saved later.
 */
export function saveAccountPreferences(changes: {
  language?: Language
  time_zone?: string
  theme?: ThemeChoice
  keeps_places?: boolean
}): Promise<void> {
  unsaved = { ...unsaved, ...changes }
  return saveToAccount()
}

function saveToAccount(): Promise<void> {
  if (session.state.get().status !== 'signed-in') return Promise.resolve()
  saving ??= saveAll().finally(() => {
    saving = null
  })
  return saving
}

async function saveAll(): Promise<void> {
  while (Object.keys(unsaved).length > 0) {
    const changes = unsaved
    unsaved = {}
    try {
      await call('PATCH /me/preferences', { json: changes, keepalive: true })
    } catch (error) {
      if (error instanceof ApiError && error.isTemporary) unsaved = { ...changes, ...unsaved }
      throw error
    }
  }
}

function apply({ language, time_zone, theme }: Preferences): void {
  const settings = settingsStore.get()
  const preferences = { language: language ?? settings.language, timezone: time_zone ?? settings.timezone }
  if (preferences.language !== settings.language || preferences.timezone !== settings.timezone) {
    try {
      saveSettings({ ...settings, ...preferences })
    } catch (error) {
      // The account has them; this browser will fetch them again.
      console.warn('The browser refused to keep a copy of the settings', error)
    }
  }
  if (theme !== null) chooseTheme(theme)
}
