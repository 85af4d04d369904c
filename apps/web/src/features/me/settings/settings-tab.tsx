import { can } from '@mira/shared/access'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleX, Moon, Save, Sun } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { call } from '../../../lib/api/client.ts'
import { useTheme } from '../../../lib/browser/theme.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { saveTheme } from '../../../lib/session/account-preferences.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useRequestedCard } from '../../../lib/session/use-requested-card.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { ChoiceCards } from '../../../ui/choice-cards.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { DataCard } from './data-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { RegionCard } from './region-card.tsx'
import { type SettingsDraft, useSettingsDraft } from './use-settings-draft.ts'

/** Share of the quota from which advice is shown. */
const NEARLY_FULL = 0.95

/** The user's profile, read-only: administrators edit it. */
function ProfileCard() {
  const text = useText('settings')
  const user = useUser()
  return (
    <Card>
      <CardHeader title={text('profile.title')} description={text('profile.text')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={text('profile.fullName')}
          value={user.full_name ?? ''}
          placeholder={text('profile.none')}
          readOnly
        />
        <TextField label={text('profile.email')} type="email" value={user.email} readOnly />
      </div>
      <Storage />
    </Card>
  )
}

/** Storage use and quota of the user. */
function Storage() {
  const text = useText('settings')
  const format = useFormat()
  const use = useQuery({ queryKey: ['storage-use'], queryFn: ({ signal }) => call('GET /me/storage', { signal }) })
  if (use.isPending) return <Skeleton className="mt-4 h-6" />
  if (use.isLoadingError) return <LoadFailed query={use} />
  const { used_bytes: usedBytes, limit_bytes: limitBytes } = use.data
  const used = format.bytes(usedBytes)
  if (limitBytes === null) {
    return (
      <p className="mt-4 flex justify-between gap-3 text-13">
        <span className="font-medium">{text('profile.storage')}</span>
        <span className="text-12 text-muted tabular-nums">{text('profile.storageUsed', { used })}</span>
      </p>
    )
  }
  const isNearlyFull = usedBytes >= limitBytes * NEARLY_FULL
  return (
    <div className="mt-4">
      <Progress
        label={text('profile.storage')}
        value={(usedBytes / limitBytes) * 100}
        detail={text('profile.storageOf', { used, limit: format.bytes(limitBytes) })}
        tone={isNearlyFull ? 'danger' : 'accent'}
      />
      {isNearlyFull && <p className="mt-2 text-13 text-danger-text">{text('profile.storageFull')}</p>}
    </div>
  )
}

/** Light or dark theme, applied and saved immediately. */
function AppearanceCard() {
  const text = useText('settings')
  const { theme, choice } = useTheme()
  const isDark = theme === 'dark'
  return (
    <Card id="appearance" className="scroll-mt-40">
      <CardHeader
        title={text('appearance.title')}
        description={text('appearance.text')}
        actions={
          <Button
            size="sm"
            icon={isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
            onClick={() => saveTheme(isDark ? 'light' : 'dark')}
          >
            {text(isDark ? 'appearance.toLight' : 'appearance.toDark')}
          </Button>
        }
      />
      <ChoiceCards
        label={text('appearance.theme')}
        labelHidden
        value={theme}
        onValueChange={saveTheme}
        choices={[
          { value: 'light', label: text('appearance.light'), description: text('appearance.lightText'), icon: <Sun /> },
          { value: 'dark', label: text('appearance.dark'), description: text('appearance.darkText'), icon: <Moon /> },
        ]}
      />
      <div className="mt-4">
        <Checkbox
          label={text('appearance.system')}
          checked={choice === 'system'}
          onCheckedChange={(isChecked) => saveTheme(isChecked ? 'system' : theme)}
        />
      </div>
    </Card>
  )
}

/** The Settings tab: settings of this browser, and the account's cards, which are passed in. */
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
  useRequestedCard(cards, true)
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
