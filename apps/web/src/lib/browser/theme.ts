import type { ThemeChoice } from '@mira/shared/constants/accounts'
import { createStore, useStore } from '../loading/store.ts'
import { readStored, watchStored, writeStored } from './browser-storage.ts'

type Theme = 'light' | 'dark'

const THEME_KEY = 'theme'
/** Colour of the browser's own bars. */
const barColours: Record<Theme, string> = { light: '#2563eb', dark: '#1f2937' }

const choiceStore = createStore<ThemeChoice>('system')
const themeStore = createStore<Theme>('light')

function applyTheme(): void {
  const stored = readStored(THEME_KEY)
  const choice = stored === 'light' || stored === 'dark' ? stored : 'system'
  const systemTheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const theme = choice === 'system' ? systemTheme : choice
  document.documentElement.dataset.theme = theme
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', barColours[theme])
  choiceStore.set(choice)
  themeStore.set(theme)
}

/** Applies the stored theme and follows the system and other tabs; called once at start. */
export function watchTheme(): void {
  applyTheme()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme)
  watchStored(THEME_KEY, applyTheme)
}

/** Applies a theme and stores it in this browser; `system` removes the choice. `saveTheme` also stores it in the account. */
export function chooseTheme(choice: ThemeChoice): void {
  writeStored(THEME_KEY, choice === 'system' ? null : choice)
  applyTheme()
}

/** The current theme, and the user's choice. */
export function useTheme(): { theme: Theme; choice: ThemeChoice } {
  return { theme: useStore(themeStore), choice: useStore(choiceStore) }
}
