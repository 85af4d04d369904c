import type { Language } from '@mira/shared/constants/languages'
import { type AdminSettingsCard, adminSettingsPath } from '../lib/admin-settings-path.ts'
import { textsOf } from '../lib/i18n.ts'
import { dashboardPath } from '../lib/paths.ts'

/** A setting as it is called on its card, and where that is. */
export interface PaletteSetting {
  label: string
  path: string
}

/** The user's settings by card, as keys of their texts. */
const ownCards = {
  appearance: ['appearance.title'],
  region: ['region.title', 'region.language', 'region.timeZone'],
  preferences: [
    'preferences.title',
    'preferences.notifications',
    'preferences.enterSends',
    'preferences.autoSave',
    'preferences.dataSaver',
    'preferences.analytics',
  ],
  data: ['data.title', 'data.export', 'data.clear', 'data.delete'],
} as const

const adminCards = ['general', 'signIn', 'engines', 'embeddings', 'models', 'retention', 'backups', 'feeds'] as const
adminCards satisfies readonly AdminSettingsCard[]

/** Settings that the user can change, with translated names. */
export async function settingsByName(language: Language, isAdmin: boolean): Promise<PaletteSetting[]> {
  const [text, adminText] = await Promise.all([
    textsOf(language, 'settings'),
    isAdmin ? textsOf(language, 'settings-admin') : null,
  ])
  const own = Object.entries(ownCards).flatMap(([card, names]) =>
    names.map((name) => ({ label: text(name), path: `${dashboardPath('settings')}#${card}` })),
  )
  if (adminText === null) return own
  return [...own, ...adminCards.map((card) => ({ label: adminText(`${card}.title`), path: adminSettingsPath(card) }))]
}
