import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  browserLanguage,
  browserTimeZone,
  defaultSettings,
  parseSettings,
  saveSettings,
  settingsStore,
} from './settings.ts'

const logged = vi.spyOn(console, 'error').mockReturnValue()

beforeEach(() => {
  logged.mockClear()
})

it.each([
  [['de-AT', 'en'], 'de'],
  [['pt-BR', 'es-MX', 'en'], 'es'],
  [['ja'], 'en'],
  [[], 'en'],
])('a browser that wants %j begins with %s', (preferred, language) => {
  expect(browserLanguage(preferred)).toBe(language)
})

describe('stored settings', () => {
  it('begin with the defaults', () => {
    expect(parseSettings(null)).toEqual({
      notifications: true,
      language: browserLanguage(navigator.languages),
      timezone: browserTimeZone(),
      autoSave: true,
      dataSaver: false,
      enterSends: true,
      analytics: true,
    })
    expect(logged).not.toHaveBeenCalled()
  })

  it('are read as they were saved', () => {
    const saved = { ...defaultSettings, language: 'fr', timezone: 'America/Chicago', dataSaver: true }
    expect(parseSettings(JSON.stringify(saved))).toEqual(saved)
  })

  it.each(['{', '[]', '"dark"', 'null', '7'])('that are corrupt (%s) are logged and ignored', (stored) => {
    expect(parseSettings(stored)).toEqual(defaultSettings)
    expect(logged).toHaveBeenCalledOnce()
  })

  it('that are corrupt in part keep the rest', () => {
    const stored = { autoSave: false, language: 'tlh', timezone: 'Mars/Olympus', dataSaver: 'yes', colour: 'red' }
    expect(parseSettings(JSON.stringify(stored))).toEqual({ ...defaultSettings, autoSave: false })
    expect(logged).toHaveBeenCalledTimes(3)
  })
})

it('settings that the browser refuses to store are told, and hold all the same', () => {
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
