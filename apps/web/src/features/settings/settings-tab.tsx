import { can } from '@mira/shared/access'
import { CircleCheck, CircleX, Save } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { useUser } from '../../lib/session.ts'
import { useWantedCard } from '../../lib/use-wanted-card.ts'
import { Button } from '../../ui/button.tsx'
import { AppearanceCard } from './appearance-card.tsx'
import { DataCard } from './data-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { ProfileCard } from './profile-card.tsx'
import { RegionCard } from './region-card.tsx'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

/** The Settings tab: what holds in this browser, and the account's own parts, which are handed in. */
export function SettingsTab({
  aboutMe,
  prompts,
  personas,
  password,
  passkeys,
  codes,
  devices,
  access,
  apiTokens,
  programs,
  hooks,
  mcpServers,
  imports,
  shares,
}: SettingsTabProps) {
  const text = useText('settings')
  const user = useUser()
  const draft = useSettingsDraft()
  const cards = useRef<HTMLDivElement>(null)
  useWantedCard(cards, true)
  return (
    <div ref={cards} className="flex flex-col gap-4">
      <div className="sticky top-14 z-10 -mx-4 -mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">{text('title')}</h2>
          <SaveState draft={draft} />
        </div>
        <div className="flex flex-wrap gap-2">
          {draft.unsaved.length > 0 && (
            <Button variant="ghost" onClick={draft.discard}>
              {text('save.discard')}
            </Button>
          )}
          <Button variant="primary" icon={<Save aria-hidden />} onClick={draft.save}>
            {text('save.button')}
          </Button>
        </div>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <ProfileCard />
          <AppearanceCard />
          <RegionCard draft={draft} />
          {imports}
          {shares}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <PreferencesCard draft={draft} />
          <DataCard />
        </div>
      </div>
      <section aria-labelledby="about-me-settings" className="mt-2">
        <h2 id="about-me-settings" className="mb-3 text-16 font-semibold tracking-tight">
          {text('aboutMe')}
        </h2>
        <div className="flex flex-col gap-4">
          {aboutMe}
          {can(user, 'chat') && personas}
          {can(user, 'chat') && prompts}
        </div>
      </section>
      <section aria-labelledby="account-settings" className="mt-2">
        <h2 id="account-settings" className="mb-3 text-16 font-semibold tracking-tight">
          {text('account')}
        </h2>
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            {password}
            {passkeys}
            {codes}
            {can(user, 'agents') && mcpServers}
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            {access}
            {devices}
            {apiTokens}
            {programs}
            {hooks}
          </div>
        </div>
      </section>
    </div>
  )
}

/** Text keys of the settings' labels. */
const labels = {
  notifications: 'preferences.notifications',
  autoSave: 'preferences.autoSave',
  dataSaver: 'preferences.dataSaver',
  enterSends: 'preferences.enterSends',
  analytics: 'preferences.analytics',
  language: 'region.language',
  timezone: 'region.timeZone',
} as const

/** Outcome of the last save, or the unsaved changes. */
function SaveState({ draft: { outcome, unsaved } }: { draft: SettingsDraft }) {
  const text = useText('settings')
  const format = useFormat()
  return (
    <div className="mt-1 flex min-h-5 items-center text-13">
      <span role="status">
        {outcome === 'saved' && (
          <span className="flex items-center gap-1.5 font-medium text-success-text">
            <CircleCheck aria-hidden className="size-4 shrink-0" />
            {text('save.saved')}
          </span>
        )}
        {outcome === 'failed' && (
          <span className="flex items-center gap-1.5 font-medium text-danger-text">
            <CircleX aria-hidden className="size-4 shrink-0" />
            {text('save.failed')}
          </span>
        )}
      </span>
      {outcome === null && (
        <span className={unsaved.length > 0 ? 'font-medium text-warning-text' : 'text-muted'}>
          {unsaved.length > 0
            ? text('save.unsaved', { names: format.list(unsaved.map((name) => text(labels[name]))) })
            : text('save.manual')}
        </span>
      )}
    </div>
  )
}

export type SettingsTabProps = {
  aboutMe: ReactNode
  prompts: ReactNode
  personas: ReactNode
  password: ReactNode
  passkeys: ReactNode
  codes: ReactNode
  devices: ReactNode
  access: ReactNode
  apiTokens: ReactNode
  programs: ReactNode
  hooks: ReactNode
  mcpServers: ReactNode
  imports: ReactNode
  shares: ReactNode
}
