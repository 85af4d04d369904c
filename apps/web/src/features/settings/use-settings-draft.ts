import { useEffect, useState } from 'react'
import { keepForAccount } from '../../lib/account-preferences.ts'
import { type PersonalSettings, saveSettings, useSettings } from '../../lib/settings.ts'

const MESSAGE_MS = 2_000

/** How the last save went; it is told for two seconds. */
export type SaveOutcome = 'saved' | 'failed'

/** The settings as they are being changed, language and time zone also with the account: with Auto Save each change is kept at once, without it they wait for `save`. */
export function useSettingsDraft(): SettingsDraft {
  const saved = useSettings()
  const [changes, setChanges] = useState<Partial<PersonalSettings>>({})
  const [outcome, setOutcome] = useState<{ word: SaveOutcome } | null>(null)
  const settings = { ...saved, ...changes }

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), MESSAGE_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const keep = async (next: PersonalSettings) => {
    setChanges({})
    try {
      saveSettings(next)
      await keepForAccount({
        ...(next.language === saved.language ? {} : { language: next.language }),
        ...(next.timezone === saved.timezone ? {} : { time_zone: next.timezone }),
      })
      setOutcome({ word: 'saved' })
    } catch (error) {
      console.error('The settings could not be saved', error)
      setOutcome({ word: 'failed' })
    }
  }

  return {
    settings,
    isChanged: differs(settings, saved),
    outcome: outcome?.word ?? null,
    change: (change) => {
      const next = { ...settings, ...change }
      // Turning Auto Save off is itself still saved as it is made.
      if (saved.autoSave || next.autoSave) void keep(next)
      else setChanges({ ...changes, ...change })
    },
    save: () => void keep(settings),
  }
}

function differs(one: PersonalSettings, other: PersonalSettings): boolean {
  return (Object.keys(one) as (keyof PersonalSettings)[]).some((name) => one[name] !== other[name])
}

export interface SettingsDraft {
  /** What is shown: the saved settings with the changes that were not saved yet. */
  settings: PersonalSettings
  /** True while something was not saved yet. */
  isChanged: boolean
  outcome: SaveOutcome | null
  change: (change: Partial<PersonalSettings>) => void
  save: () => void
}
