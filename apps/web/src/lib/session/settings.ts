import { asLanguage, type Language, languages } from '@mira/shared/constants/languages'
import { readStored, watchStored, writeStored } from '../browser/browser-storage.ts'
import { createStore, useStore } from '../loading/store.ts'

/** Time zones named in the specification, listed before all others. */
export const timeZones = [
  'UTC',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
] as const

/** Settings chosen in this browser. */
export interface PersonalSettings {
  notifications: boolean
  language: Language
  /** An IANA name. */
  timezone: string
  autoSave: boolean
  dataSaver: boolean
  /** Enter sends a message; otherwise it begins a new line. */
  enterSends: boolean
  /** False keeps the user's activity out of analytics. */
  analytics: boolean
}

/** Defaults; language and time zone come from the browser. */
export const defaultSettings: Readonly<PersonalSettings> = {
  notifications: true,
  language: browserLanguage(navigator.languages),
  timezone: browserTimeZone(),
  autoSave: true,
  dataSaver: false,
  // on-screen keyboards have no Shift+Enter
  enterSends: typeof matchMedia === 'undefined' || !matchMedia('(pointer: coarse)').matches,
  analytics: true,
}

/** The first of the browser's languages that the app has; English when it has none of them. */
export function browserLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = asLanguage(tag.split('-')[0]?.toLowerCase())
    if (language !== null) return language
  }
  return 'en'
}

/** The time zone of the device. */
export function browserTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return isTimeZone(timeZone) ? timeZone : 'UTC'
}

const SETTINGS_KEY = 'settings'

const isValid: { [Name in keyof PersonalSettings]: (value: unknown) => boolean } = {
  notifications: isBoolean,
  language: (value) => languages.includes(value as Language),
  timezone: isTimeZone,
  autoSave: isBoolean,
  dataSaver: isBoolean,
  enterSends: isBoolean,
  analytics: isBoolean,
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}

/** Reads stored settings; corrupt values are logged and replaced with the default. */
export function parseSettings(stored: string | null): PersonalSettings {
  const settings: PersonalSettings = { ...defaultSettings }
  if (stored === null) return settings
  let values: unknown
  try {
    values = JSON.parse(stored)
  } catch (error) {
    console.error('The stored settings are corrupt and were ignored', error)
    return settings
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    console.error('The stored settings are corrupt and were ignored', values)
    return settings
  }
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(settings, name)) continue
    if (isValid[name as keyof PersonalSettings](value)) Object.assign(settings, { [name]: value })
    else console.error(`The stored setting "${name}" is corrupt and was ignored`, value)
  }
  return settings
}

/** The current settings, also for code outside of components. */
export const settingsStore = createStore<PersonalSettings>(parseSettings(readStored(SETTINGS_KEY)))

/** Follows settings saved by other tabs; called once at start. */
export function watchSettings(): void {
  watchStored(SETTINGS_KEY, () => settingsStore.set(parseSettings(readStored(SETTINGS_KEY))))
}

/**
 * Stores and applies new settings.
 *
 * @throws Error when this browser refuses to store them; they still apply until the page is closed.
 */
export function saveSettings(settings: PersonalSettings): void {
  const isStored = writeStored(SETTINGS_KEY, JSON.stringify(settings))
  settingsStore.set({ ...settings })
  if (!isStored) throw new Error('This browser refused to store the settings')
}

export function useSettings(): PersonalSettings {
  return useStore(settingsStore)
}
