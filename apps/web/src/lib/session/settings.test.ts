import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  browserLanguage,
  browserTimeZone,
  defaultSettings,
  parseSettings,
  saveSettings,
  settingsStore,
} from './settings.ts'

const consoleError = vi.spyOn(console, 'error').mockReturnValue()

beforeEach(() => {
  consoleError.mockClear()
})

it.each([
  [['de-AT', 'en'], 'de'],
  [['pt-BR', 'es-MX', 'en'], 'es'],
  [['ja'], 'en'],
  [[], 'en'],
])('a browser that prefers %j starts with %s', (preferred, language) => {
  expect(browserLanguage(preferred)).toBe(language)
})

describe('stored settings', () => {
  it('start with the defaults', () => {
    expect(parseSettings(null)).toEqual({
      notifications: true,
      language: browserLanguage(navigator.languages),
      timezone: browserTimeZone(),
      autoSave: true,
      dataSaver: false,
      enterSends: true,
      analytics: true,
    })
    expect(consoleError).not.toHaveBeenCalled()
  })

  it('are read as they were saved', () => {
    const saved = { ...defaultSettings, language: 'fr', timezone: 'America/Chicago', dataSaver: true }
    expect(parseSettings(JSON.stringify(saved))).toEqual(saved)
  })

  it.each(['{', '[]', '"dark"', 'null', '7'])('are logged and ignored when they are corrupt (%s)', (stored) => {
    expect(parseSettings(stored)).toEqual(defaultSettings)
    expect(consoleError).toHaveBeenCalledOnce()
  })

  it('keep the valid values when others are corrupt', () => {
    const stored = { autoSave: false, language: 'tlh', timezone: 'Mars/Olympus', dataSaver: 'yes', colour: 'red' }
    expect(parseSettings(JSON.stringify(stored))).toEqual({ ...defaultSettings, autoSave: false })
    expect(consoleError).toHaveBeenCalledTimes(3)
  })

  it('ignore names that settings inherit from objects', () => {
    const settings = parseSettings('{"toString": "red", "dataSaver": true}')
    expect(Object.hasOwn(settings, 'toString')).toBe(false)
    expect(settings.dataSaver).toBe(true)
  })
})

it('settings that the browser refuses to store throw an error, but still apply', () => {
  vi.stubGlobal('localStorage', {
    getItem: () => null,
    setItem: () => {
      throw new DOMException('Full', 'QuotaExceededError')
    },
  })
  const settings = { ...defaultSettings, dataSaver: true }
  expect(() => saveSettings(settings)).toThrow('refused')
  expect(settingsStore.get()).toEqual(settings)
  vi.unstubAllGlobals()
})
