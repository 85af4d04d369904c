import { ASSISTANT_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { capabilities } from '@mira/shared/constants/models'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, Save, Undo2 } from 'lucide-react'
import { useRef } from 'react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import type { AdminSettingsCard } from '../../../lib/session/paths.ts'
import { useRequestedCard } from '../../../lib/session/use-requested-card.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Select } from '../../../ui/select.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { BackupsCard } from './backups-card.tsx'
import { ConnectionsCard } from './connections-card.tsx'
import { EmbeddingsCard } from './embeddings-card.tsx'
import { EngineRow } from './engine-row.tsx'
import { McpServersCard } from './mcp-servers-card.tsx'
import { ModelsCard } from './models-card.tsx'
import { NumberSetting } from './setting-fields.tsx'
import { type SettingsFields, useSettingsForm } from './use-settings-form.ts'
import { WatchedFoldersCard } from './watched-folders-card.tsx'
import { FeedsCard, WebCard } from './web-card.tsx'

const HOUR = 60
const DAY = 24 * HOUR
const idleChoices = [15, 30, HOUR, 8 * HOUR, DAY, 7 * DAY, 14 * DAY]

/** Sign-in methods, and the time after which idle sessions end. */
function SignInCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const { data: methods } = useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => call('GET /config', { signal }).then(({ sign_in }) => sign_in),
  })
  const signIn = fields.form.sign_in
  const change = (changed: Partial<typeof signIn>) => fields.change({ sign_in: { ...signIn, ...changed } })
  const durationName = (minutes: number) => {
    if (minutes % DAY === 0) return text('signIn.days', { count: minutes / DAY })
    if (minutes % HOUR === 0) return text('signIn.hours', { count: minutes / HOUR })
    return text('signIn.minutes', { count: minutes })
  }
  // another value may have been set via the API
  const { idle_minutes: idleMinutes } = signIn
  const choices = [...new Set([...idleChoices, ...(idleMinutes === null ? [] : [idleMinutes])])].sort(
    (one, two) => one - two,
  )
  return (
    <Card id={'signIn' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('signIn.title')} />
      <div className="flex flex-col gap-4">
        <Select
          label={text('signIn.idle')}
          hint={text('signIn.idleHint')}
          options={[
            ...choices.map((minutes) => ({ value: String(minutes), label: durationName(minutes) })),
            { value: 'never', label: text('signIn.never') },
          ]}
          value={String(idleMinutes ?? 'never')}
          onValueChange={(value) => change({ idle_minutes: value === 'never' ? null : Number(value) })}
        />
        <Switch
          label={text('signIn.passwords')}
          description={text('signIn.passwordsHint')}
          checked={signIn.passwords}
          onCheckedChange={(passwords) => change({ passwords })}
        />
        {methods?.oidc && (
          <Switch
            label={text('signIn.accounts')}
            description={text('signIn.accountsHint')}
            checked={signIn.oidc_creates_accounts}
            onCheckedChange={(oidc_creates_accounts) => change({ oidc_creates_accounts })}
          />
        )}
      </div>
    </Card>
  )
}

/** Name and limits. */
function GeneralCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const { form, change, answer, errorOf } = fields
  return (
    <Card id={'general' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('general.title')} />
      <div className="flex flex-col gap-4">
        <TextField
          label={text('general.name')}
          hint={
            fields.isOverridden('assistant_name')
              ? text('general.nameDecided', { name: answer.defaults.assistant_name })
              : text('general.nameHint')
          }
          value={form.assistant_name}
          maxLength={ASSISTANT_NAME_MAX_CHARACTERS}
          error={errorOf('assistant_name')}
          onChange={(event) => change({ assistant_name: event.target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberSetting fields={fields} name="upload_megabytes" />
          <NumberSetting fields={fields} name="storage_megabytes" />
        </div>
        <Switch
          label={text('general.fineTuning')}
          description={text('general.fineTuningHint')}
          checked={form.allows_remote_fine_tuning}
          onCheckedChange={(allows_remote_fine_tuning) => change({ allows_remote_fine_tuning })}
        />
      </div>
    </Card>
  )
}

/** Retention periods. */
function RetentionCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  return (
    <Card id={'retention' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('retention.title')} description={text('retention.subtitle')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberSetting fields={fields} name="activity_days" />
        <NumberSetting fields={fields} name="agent_run_days" />
        <NumberSetting fields={fields} name="notification_days" />
        <NumberSetting fields={fields} name="automation_run_days" />
        <NumberSetting fields={fields} name="audit_days" />
        <NumberSetting fields={fields} name="trash_days" />
      </div>
    </Card>
  )
}

/** Engine and model for each capability. */
function EnginesCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  return (
    <Card id={'engines' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('engines.title')} description={text('engines.subtitle')} />
      <ul className="-my-4 flex flex-col divide-y divide-border">
        {capabilities.map((capability) => (
          <EngineRow key={capability} capability={capability} fields={fields} />
        ))}
      </ul>
    </Card>
  )
}

/** Admin → Settings: name, engines, models, limits and feeds of the instance. */
export function AdminSettingsTab() {
  const appText = useText('app')
  const { query, fields } = useSettingsForm()
  const form = useRef<HTMLFormElement>(null)
  useRequestedCard(form, fields !== null)
  if (fields === null) {
    if (query.isLoadingError) return <LoadFailed query={query} />
    return (
      <LoadingRegion label={appText('common.loading')} className="grid gap-4 lg:grid-cols-2">
        {['h-72', 'h-96', 'h-72', 'h-96'].map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders never move
          <Skeleton key={index} className={height} />
        ))}
      </LoadingRegion>
    )
  }
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (fields.hasErrors) event.currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
        else fields.submit()
      }}
    >
      <SaveBar fields={fields} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <ConnectionsCard />
          <McpServersCard owner="instance">
            <OwnMcpServers fields={fields} />
          </McpServersCard>
          <WebCard />
          <EnginesCard fields={fields} />
          <EmbeddingsCard fields={fields} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <GeneralCard fields={fields} />
          <SignInCard fields={fields} />
          <ModelsCard />
          <RetentionCard fields={fields} />
          <WatchedFoldersCard />
          <BackupsCard fields={fields} />
          <FeedsCard fields={fields} />
        </div>
      </div>
    </form>
  )
}

/** Lets users connect MCP servers of their own. */
function OwnMcpServers({ fields }: { fields: SettingsFields }) {
  const text = useText('mcp-servers')
  return (
    <Switch
      className="mt-4"
      label={text('own.allow')}
      description={text('own.allowHint')}
      checked={fields.form.allows_own_mcp_servers}
      onCheckedChange={(allows_own_mcp_servers) => fields.change({ allows_own_mcp_servers })}
    />
  )
}

/** Sticky bar with the state of the changes and the buttons to save or discard them. */
function SaveBar({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const errorText = useErrorText()
  const { isChanged, hasErrors, save, discard } = fields
  return (
    <div className="sticky top-14 z-10 -mx-4 -mt-3 mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
      <div className="min-w-0 flex-1">
        <h2 className="text-20 font-semibold">{text('title')}</h2>
        <p role="status" className="mt-1 flex min-h-5 items-center gap-1.5 text-13 text-muted">
          {save.isError ? (
            <span className="flex items-center gap-1.5 font-medium text-danger-text">
              <CircleAlert aria-hidden className="size-4 shrink-0" />
              {errorText(save.error, text('save.failed'))}
            </span>
          ) : isChanged ? (
            text(hasErrors ? 'save.wrong' : 'save.unsaved')
          ) : save.isSuccess ? (
            <span className="flex items-center gap-1.5 font-medium text-success-text">
              <CircleCheck aria-hidden className="size-4 shrink-0" />
              {text('save.saved')}
            </span>
          ) : (
            text('subtitle')
          )}
        </p>
      </div>
      <div className="flex gap-2">
        {isChanged && (
          <Button icon={<Undo2 aria-hidden />} onClick={discard}>
            {text('save.discard')}
          </Button>
        )}
        <Button
          type="submit"
          variant="primary"
          icon={<Save aria-hidden />}
          loading={save.isPending}
          disabled={!isChanged}
        >
          {text('save.button')}
        </Button>
      </div>
    </div>
  )
}
