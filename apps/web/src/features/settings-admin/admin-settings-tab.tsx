import { CircleAlert, CircleCheck, Save, Undo2 } from 'lucide-react'
import { useRef } from 'react'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useWantedCard } from '../../lib/use-wanted-card.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { Switch } from '../../ui/switch.tsx'
import { BackupsCard } from './backups-card.tsx'
import { ConnectionsCard } from './connections-card.tsx'
import { EmbeddingsCard } from './embeddings-card.tsx'
import { EnginesCard } from './engines-card.tsx'
import { FeedsCard } from './feeds-card.tsx'
import { GeneralCard } from './general-card.tsx'
import { McpServersCard } from './mcp-servers-card.tsx'
import { ModelsCard } from './models-card.tsx'
import { RetentionCard } from './retention-card.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { type SettingsFields, useSettingsForm } from './use-settings-form.ts'
import { WatchedFoldersCard } from './watched-folders-card.tsx'
import { WebCard } from './web-card.tsx'

/** Admin → Settings: the name, engines, models, limits and feeds of the instance, for all who use it. */
export function AdminSettingsTab() {
  const appText = useText('app')
  const { query, fields } = useSettingsForm()
  const form = useRef<HTMLFormElement>(null)
  useWantedCard(form, fields !== null)
  if (fields === null) {
    if (query.isError) return <LoadFailed query={query} />
    return (
      <LoadingRegion label={appText('common.loading')} className="grid gap-4 lg:grid-cols-2">
        {['h-72', 'h-96', 'h-72', 'h-96'].map((height, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they stand still
          <Skeleton key={at} className={height} />
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
          <McpServersCard of="instance">
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
