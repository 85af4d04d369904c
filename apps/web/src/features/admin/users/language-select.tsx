import { type Language, languageNames, languages } from '@mira/shared/constants/languages'
import { ChevronDown, Languages } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { keepForAccount } from '../../../lib/session/account-preferences.ts'
import { saveSettings, useSettings } from '../../../lib/session/settings.ts'

/** A quiet choice of language for who is not signed in yet. */
export function LanguageSelect() {
  const text = useText('app')
  const settings = useSettings()
  const choose = (language: Language) => {
    try {
      void keepForAccount({ language })
      saveSettings({ ...settings, language })
    } catch (error) {
      // It holds until the page is closed, which is all that is wanted here.
      console.error('The language could not be stored', error)
    }
  }
  return (
    <div className="relative inline-flex items-center rounded-control text-13 text-muted hover:text-text">
      <Languages aria-hidden className="pointer-events-none absolute left-2.5 size-4" />
      <select
        aria-label={text('login.language')}
        value={settings.language}
        onChange={(event) => choose(event.target.value as Language)}
        className="h-9 touch-target cursor-pointer appearance-none rounded-control bg-transparent pr-8 pl-9 pointer-coarse:text-16"
      >
        {languages.map((language) => (
          <option key={language} value={language} className="bg-surface-overlay text-text">
            {languageNames[language].own}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute right-2.5 size-4" />
    </div>
  )
}
