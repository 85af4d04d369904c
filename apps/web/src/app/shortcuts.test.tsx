// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { renderPart } from '../../test/render-part.tsx'
import { useShortcut } from '../lib/browser/keyboard.ts'
import { watchLanguage } from '../lib/i18n/i18n.ts'
import { saveSettings, settingsStore } from '../lib/session/settings.ts'
import { Shortcuts, showShortcuts } from './shortcuts.tsx'

/** Screen with shortcuts for Delete and Escape. */
function Item() {
  useShortcut({ key: 'Delete', label: 'delete it', group: 'Item', onPress: () => {} })
  useShortcut({ key: 'Escape', label: 'go back', group: 'Item', onPress: () => {} })
  return <Shortcuts />
}

beforeAll(watchLanguage)

it.each([
  ['en', ['Ctrl', 'Del', 'Esc']],
  ['de', ['Strg', 'Entf', 'Esc']],
  ['fr', ['Ctrl', 'Suppr', 'Échap']],
  ['es', ['Ctrl', 'Supr', 'Esc']],
] as const)(
  'the list of shortcuts uses the key labels of a keyboard in the user’s language (%s)',
  async (language, keys) => {
    saveSettings({ ...settingsStore.get(), language })
    await waitFor(() => expect(document.documentElement.lang).toBe(language))
    await renderPart(<Item />)
    act(showShortcuts)
    const dialog = await screen.findByRole('dialog')
    for (const key of keys) within(dialog).getByText(key, { selector: 'kbd' })
    expect(within(dialog).queryByText('Delete')).toBeNull()
  },
)
