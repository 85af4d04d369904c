import { type Language, languageNames, languages } from '@mira/shared/constants/languages'
import { ChevronDown, Languages, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTheme } from '../../../../lib/browser/theme.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { saveAccountPreferences, saveTheme } from '../../../../lib/session/account-preferences.ts'
import { saveSettings, useSettings } from '../../../../lib/session/settings.ts'
import { Badge } from '../../../../ui/badge.tsx'
import { BrandMark } from '../../../../ui/brand-mark.tsx'
import { IconButton } from '../../../../ui/icon-button.tsx'

/** Language menu for signed-out users. */
function LanguageSelect() {
  const text = useText('app')
  const settings = useSettings()
  const choose = (language: Language) => {
    try {
      void saveAccountPreferences({ language })
      saveSettings({ ...settings, language })
    } catch (error) {
      // The choice still applies until the page is closed, which is enough here.
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

/** Layout of all sign-in pages: the brand above, a card, the language below. */
export function SignInLayout({ title, subtitle, children }: SignInLayoutProps) {
  const appText = useText('app')
  const { theme } = useTheme()
  const isDark = theme === 'dark'
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr_auto] bg-[radial-gradient(75rem_36rem_at_50%_-12rem,var(--accent-soft),transparent)]">
      <header className="flex justify-end p-3 sm:p-4">
        <IconButton
          name={appText(isDark ? 'nav.toLight' : 'nav.toDark')}
          icon={isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
          tooltipSide="bottom"
          onClick={() => saveTheme(isDark ? 'light' : 'dark')}
        />
      </header>
      <main className="flex flex-col items-center justify-center px-4 pb-6">
        <BrandMark className="size-14" />
        <Badge tone="accent" className="mt-4">
          {appText('badge')}
        </Badge>
        <h1 className="mt-3 text-center text-24 font-semibold sm:text-32">{title}</h1>
        <p className="mt-1.5 max-w-120 text-center text-16 text-muted">{subtitle}</p>
        <div className="mt-7 w-full max-w-100 rounded-card border border-border bg-surface-raised p-5 shadow-float sm:p-7">
          {children}
        </div>
      </main>
      <footer className="flex justify-center p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
        <LanguageSelect />
      </footer>
    </div>
  )
}

type SignInLayoutProps = { title: string; subtitle: ReactNode; children: ReactNode }
