import { useEffect, useState } from 'react'
import { saveAccountPreferences } from '../../../lib/session/account-preferences.ts'
import { useUnsavedDraft } from '../../../lib/session/kept-drafts.ts'
import { type PersonalSettings, saveSettings, useSettings } from '../../../lib/session/settings.ts'

const MESSAGE_MS = 2_000

/** Outcome of the last save, shown for two seconds. */
type SaveOutcome = 'saved' | 'failed'

/** Unsaved settings; saving applies them to this browser, and the language and time zone also to the account. */
export function useSettingsDraft(): SettingsDraft {
  const saved = useSettings()
  const { draft: changes = {}, keep: keepDraft } = useUnsavedDraft<Partial<PersonalSettings>>('settings')
  const [outcome, setOutcome] = useState<{ value: SaveOutcome } | null>(null)
  const settings = { ...saved, ...changes }

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), MESSAGE_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const saveAll = async (next: PersonalSettings) => {
    keepDraft(undefined)
    try {
      saveSettings(next)
      await saveAccountPreferences({
        ...(next.language === saved.language ? {} : { language: next.language }),
        ...(next.timezone === saved.timezone ? {} : { time_zone: next.timezone }),
      })
      setOutcome({ value: 'saved' })
    } catch (error) {
      console.error('The settings could not be saved', error)
      setOutcome({ value: 'failed' })
    }
  }

  return {
    settings,
    unsaved: (Object.keys(settings) as (keyof PersonalSettings)[]).filter((name) => settings[name] !== saved[name]),
    outcome: outcome?.value ?? null,
    change(change) {
      const next = { ...changes, ...change }
      const isChanged = (Object.keys(next) as (keyof PersonalSettings)[]).some((name) => next[name] !== saved[name])
      keepDraft(isChanged ? next : undefined)
    },
    save: () => void saveAll(settings),
    discard: () => keepDraft(undefined),
  }
}

export interface SettingsDraft {
  /** Saved settings merged with the unsaved changes. */
  settings: PersonalSettings
  /** Names of the unsaved settings. */
  unsaved: readonly (keyof PersonalSettings)[]
  outcome: SaveOutcome | null
  change: (change: Partial<PersonalSettings>) => void
  save: () => void
  /** Reverts to the saved settings. */
  discard: () => void
}
