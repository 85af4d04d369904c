import type { Preferences, UpdatePreferences } from '@mira/shared'
import type { ThemeChoice } from '@mira/shared/constants/accounts'
import type { Language } from '@mira/shared/constants/languages'
import { ApiError, call } from '../api/client.ts'
import { chooseTheme } from '../browser/theme.ts'
import { session } from './session.ts'
import { saveSettings, settingsStore } from './settings.ts'

/** Choices not saved to the account yet; kept while nobody is signed in or the server can't be reached. */
let untold: UpdatePreferences = {}
let telling: Promise<void> | null = null

/**
 * Shows what the account chose on any device as soon as it is known, and tells it what was chosen before the sign-in;
 * called once at start.
 */
export function followAccountPreferences(): void {
  session.state.subscribe((state) => {
    if (state.status === 'signed-out') untold = {}
    if (state.status !== 'signed-in') return
    if (telling === null) apply({ ...state.user.preferences, ...untold })
    tellAccount().catch((error) => console.warn('The account could not be told what was chosen', error))
  })
}

/** Shows a theme on this device and on the others of whoever is signed in. */
export function keepTheme(choice: ThemeChoice): void {
  chooseTheme(choice)
  keepForAccount({ theme: choice }).catch((error) =>
    // It holds here, and the account is told when it is fetched the next time.
    console.warn('The account could not be told about the theme', error),
  )
}

/**
 * Tells the account of whoever is signed in, or of who signs in next.
 *
 * @throws ApiError when the server refuses or cannot be reached; in the latter case it is told later.
 */
export function keepForAccount(changes: {
  language?: Language
  time_zone?: string
  theme?: ThemeChoice
  keeps_places?: boolean
}): Promise<void> {
  untold = { ...untold, ...changes }
  return tellAccount()
}

function tellAccount(): Promise<void> {
  if (session.state.get().status !== 'signed-in') return Promise.resolve()
  telling ??= tellAll().finally(() => {
    telling = null
  })
  return telling
}

async function tellAll(): Promise<void> {
  while (Object.keys(untold).length > 0) {
    const changes = untold
    untold = {}
    try {
      await call('PATCH /me/preferences', { json: changes, keepalive: true })
    } catch (error) {
      if (error instanceof ApiError && error.isTemporary) untold = { ...changes, ...untold }
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
      // The account keeps it; this browser asks for it again.
      console.warn('The browser refused to keep a copy of the settings', error)
    }
  }
  if (theme !== null) chooseTheme(theme)
}
