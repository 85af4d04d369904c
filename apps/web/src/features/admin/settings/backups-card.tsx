import type { AdminSettings, BackupsResponseJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { DatabaseBackup, PlugZap } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useLocale, useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import type { AdminSettingsCard } from '../../../lib/session/paths.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { BackupLine, backupsQuery, isInProgress } from './backup-line.tsx'
import { NumberSetting } from './setting-fields.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const rhythms = ['never', 'day', 'week'] as const
const weekdays = [1, 2, 3, 4, 5, 6, 7]
/** Any Monday: the names of the weekdays are formatted from it. */
const MONDAY = Date.UTC(2026, 0, 5)
const DAY_MS = 24 * 60 * 60 * 1000

/** Schedule of automatic backups, the number kept and their offsite copy. */
function BackupScheduleFields({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const locale = useLocale()
  const schedule = fields.form.backups
  const { timezone } = useSettings()
  const change = (changed: Partial<AdminSettings['backups']>) => fields.change({ backups: { ...schedule, ...changed } })
  // times are in the time zone of the administrator who sets them
  const changeTime = (changed: Partial<AdminSettings['backups']>) => change({ ...changed, time_zone: timezone })
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  return (
    <div className="mb-4 grid gap-4 sm:grid-cols-2">
      <Select
        label={text('backups.schedule.every')}
        hint={text('backups.schedule.everyHint')}
        options={rhythms.map((rhythm) => ({ value: rhythm, label: text(`backups.schedule.${rhythm}`) }))}
        value={schedule.every}
        onValueChange={(every) => changeTime({ every: every as (typeof rhythms)[number] })}
      />
      <NumberSetting fields={fields} name="backups_kept" />
      {schedule.every === 'week' && (
        <Select
          label={text('backups.schedule.weekday')}
          options={weekdays.map((day) => ({
            value: String(day),
            label: dayName.format(MONDAY + (day - 1) * DAY_MS),
          }))}
          value={String(schedule.weekday)}
          onValueChange={(weekday) => changeTime({ weekday: Number(weekday) })}
        />
      )}
      {schedule.every !== 'never' && (
        <TextField
          label={text('backups.schedule.at')}
          hint={text('backups.schedule.atHint', { zone: schedule.time_zone })}
          type="time"
          value={schedule.at}
          error={fields.errorOf('backups.at')}
          onChange={(event) => changeTime({ at: event.target.value })}
        />
      )}
      <TextField
        className="sm:col-span-2"
        label={text('backups.offsite.label')}
        hint={text('backups.offsite.hint')}
        value={schedule.offsite ?? ''}
        error={fields.errorOf('backups.offsite')}
        onChange={(event) => change({ offsite: event.target.value })}
      />
      {(schedule.offsite ?? '').trim() !== '' && <OffsiteTest address={(schedule.offsite ?? '').trim()} />}
    </div>
  )
}

/** Button that tests the typed off-site address, saved or not, and the outcome. */
function OffsiteTest({ address }: { address: string }) {
  const text = useText('settings-admin')
  const errorText = useErrorText()
  const test = useMutation({
    mutationFn: (address: string) => call('POST /admin/backups/offsite/test', { json: { address }, timeoutMs: 60_000 }),
    onError: (error) => console.error('The off-site address could not be tested', error),
  })
  const isCurrent = test.variables === address && !test.isPending
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 sm:col-span-2">
      <Button size="sm" icon={<PlugZap aria-hidden />} loading={test.isPending} onClick={() => test.mutate(address)}>
        {text('backups.offsite.test')}
      </Button>
      <p role="status" className="min-w-0 flex-1 basis-60 text-13 wrap-anywhere">
        {isCurrent && test.isError && (
          <span className="text-danger-text">{errorText(test.error, text('backups.offsite.testFailed'))}</span>
        )}
        {isCurrent && test.data && (
          <span className={test.data.ok ? 'text-success-text' : 'text-danger-text'}>
            {test.data.ok ? text('backups.offsite.connected', { count: test.data.snapshots }) : test.data.detail}
          </span>
        )}
      </p>
    </div>
  )
}

/** Full backups, to restore on this machine or another. */
export function BackupsCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const appText = useText('app')
  const errorText = useErrorText()
  const format = useFormat()
  const sentenceText = useSentenceText()
  const queryClient = useQueryClient()
  const query = useQuery(backupsQuery)
  const { data } = query
  const begin = useMutation({
    mutationFn: () => call('POST /admin/backups'),
    onSuccess: (backup) =>
      queryClient.setQueryData(
        backupsQuery.queryKey,
        (cached: BackupsResponseJson | undefined) => cached && { ...cached, backups: [backup, ...cached.backups] },
      ),
    onError: (error) => {
      console.error('Failed to start the backup', error)
      showToast({ tone: 'danger', title: text('backups.beginFailed'), description: errorText(error) })
    },
    onSettled: () => queryClient.invalidateQueries(backupsQuery),
  })
  return (
    <Card id={'backups' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('backups.title')} description={text('backups.subtitle')} />
      <BackupScheduleFields fields={fields} />
      {query.isLoadingError && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-24" />
        </LoadingRegion>
      )}
      {data && (
        <>
          <Button
            icon={<DatabaseBackup aria-hidden />}
            loading={begin.isPending}
            disabled={data.backups.some(isInProgress)}
            onClick={() => begin.mutate()}
          >
            {text('backups.begin')}
          </Button>
          {data.backups.length === 0 ? (
            <p className="mt-3 text-13 text-muted">{text('backups.none')}</p>
          ) : (
            <ul className="mt-1 flex flex-col divide-y divide-border">
              {data.backups.map((backup) => (
                <BackupLine key={backup.id} backup={backup} />
              ))}
            </ul>
          )}
          {data.next_at !== null && (
            <p className="mt-3 text-13 text-muted">
              {text('backups.schedule.next', { when: format.dateTime(data.next_at) })}
            </p>
          )}
          <p className="mt-1 text-13 text-muted">
            {data.last_proven_at === null
              ? text('backups.proof.never')
              : text('backups.proof.last', { when: format.dateTime(data.last_proven_at) })}
          </p>
          {data.offsite && (
            <p className="mt-1 text-13 text-muted">
              {data.offsite.last_at === null
                ? text('backups.offsite.never')
                : text('backups.offsite.last', { when: format.dateTime(data.offsite.last_at) })}
            </p>
          )}
          {data.offsite?.failed && (
            <p className="mt-1 text-13 wrap-anywhere text-danger-text">
              {sentenceText(data.offsite.failed.reason, data.offsite.failed.told)}
            </p>
          )}
          <p className="mt-1 text-13 text-muted">{text('backups.files.checked', { checked: data.files.checked })}</p>
          {data.files.damaged > 0 && (
            <p className="mt-1 text-13 text-danger-text">
              {text('backups.files.damaged', { damaged: data.files.damaged })}
            </p>
          )}
          {data.files.unknown > 0 && (
            <p className="mt-1 text-13 text-muted">{text('backups.files.unknown', { unknown: data.files.unknown })}</p>
          )}
          <p className="mt-1 text-13 text-muted">
            {text(data.encrypted ? 'backups.schedule.sealed' : 'backups.schedule.open')}
          </p>
          <p className="mt-1 text-13 wrap-anywhere text-muted">
            {text('backups.place', { directory: data.directory, count: data.kept })}
          </p>
          <p className="mt-1 text-13 text-muted">
            {text('backups.restore')} <code className="wrap-anywhere">npm run restore -- FILE.zip</code>
          </p>
        </>
      )}
    </Card>
  )
}
