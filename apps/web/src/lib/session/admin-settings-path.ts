import { adminPath } from './paths.ts'

/** The cards of the administrators' settings that are led to. */
export type AdminSettingsCard =
  | 'general'
  | 'signIn'
  | 'engines'
  | 'embeddings'
  | 'models'
  | 'retention'
  | 'backups'
  | 'feeds'

/** The address of a card of the administrators' settings. */
export function adminSettingsPath(card: AdminSettingsCard): string {
  return `${adminPath('settings')}#${card}`
}
