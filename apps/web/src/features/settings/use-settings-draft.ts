import { useEffect, useState } from 'react'
import { type Settings, saveSettings, useSettings } from '../../lib/settings.ts'

const MESSAGE_MS = 2_000

/** How the last save went; it is told for two seconds (spec §4). */
export type SaveOutcome = 'saved' | 'failed'

/** The settings as they are being changed: with Auto Save each change is kept at once, without it they wait for `save`. */
export function useSettingsDraft(): SettingsDraft {
  const saved = useSettings()
  const [changes, setChanges] = useState<Partial<Settings>>({})
  const [outcome, setOutcome] = useState<{ word: SaveOutcome } | null>(null)
  const settings = { ...saved, ...changes }

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), MESSAGE_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  const keep = (next: Settings) => {
    try {
      saveSettings(next)
      setOutcome({ word: 'saved' })
    } catch (error) {
      console.error('The settings could not be saved', error)
      setOutcome({ word: 'failed' })
    }
    setChanges({})
  }

  return {
    settings,
    isChanged: differs(settings, saved),
    outcome: outcome?.word ?? null,
    change: (change) => {
      const next = { ...settings, ...change }
      // Turning Auto Save off is itself still saved as it is made.
      if (saved.autoSave || next.autoSave) keep(next)
      else setChanges({ ...changes, ...change })
    },
    save: () => keep(settings),
  }
}

function differs(one: Settings, other: Settings): boolean {
  return (Object.keys(one) as (keyof Settings)[]).some((name) => one[name] !== other[name])
}

export interface SettingsDraft {
  /** What is shown: the saved settings with the changes that were not saved yet. */
  settings: Settings
  /** True while something was not saved yet. */
  isChanged: boolean
  outcome: SaveOutcome | null
  change: (change: Partial<Settings>) => void
  save: () => void
}
