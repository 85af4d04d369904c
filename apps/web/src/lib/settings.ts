import { readStored, watchStored, writeStored } from './browser-storage.ts'
import { createStore, useStore } from './store.ts'

/** The languages that the app speaks (spec §2.4). */
export const languages = ['en', 'es', 'fr', 'de'] as const
export type Language = (typeof languages)[number]

/** The time zones that the settings offer (spec §2.4). */
export const timeZones = [
  'UTC',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
] as const

/** What a person chose for this browser (spec §3). */
export interface Settings {
  notifications: boolean
  language: Language
  /** An IANA name; one of `timeZones`, or what an older or newer app stored. */
  timezone: string
  autoSave: boolean
  dataSaver: boolean
  /** False keeps the person's use out of analytics. */
  analytics: boolean
}

export const defaultSettings: Readonly<Settings> = {
  notifications: true,
  language: 'en',
  timezone: 'UTC',
  autoSave: true,
  dataSaver: false,
  analytics: true,
}

const SETTINGS_KEY = 'settings'

const isValid: { [Name in keyof Settings]: (value: unknown) => boolean } = {
  notifications: isBoolean,
  language: (value) => languages.includes(value as Language),
  timezone: isTimeZone,
  autoSave: isBoolean,
  dataSaver: isBoolean,
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

/** Reads stored settings; what is corrupt is logged and the default takes its place (spec §8). */
export function parseSettings(stored: string | null): Settings {
  const settings: Settings = { ...defaultSettings }
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
    if (!(name in settings)) continue
    if (isValid[name as keyof Settings](value)) Object.assign(settings, { [name]: value })
    else console.error(`The stored setting "${name}" is corrupt and was ignored`, value)
  }
  return settings
}

/** The settings that hold now, also for code outside of components. */
export const settingsStore = createStore<Settings>(parseSettings(readStored(SETTINGS_KEY)))

/** Follows what other tabs save; called once at start. */
export function followSettings(): void {
  watchStored(SETTINGS_KEY, () => settingsStore.set(parseSettings(readStored(SETTINGS_KEY))))
}

/**
 * Keeps and applies new settings.
 *
 * @throws Error when this browser refuses to store them; they hold until the page is closed all the same.
 */
export function saveSettings(settings: Settings): void {
  const isStored = writeStored(SETTINGS_KEY, JSON.stringify(settings))
  settingsStore.set({ ...settings })
  if (!isStored) throw new Error('This browser refused to store the settings')
}

/** The settings that hold now. */
export function useSettings(): Settings {
  return useStore(settingsStore)
}
