import type { AdminSettings } from '@mira/shared'
import { useMutation } from '@tanstack/react-query'
import { PlugZap } from 'lucide-react'
import { testOffsite } from '../../api/backups.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useLocale, useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { NumberSetting } from './number-setting.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const rhythms = ['never', 'day', 'week'] as const
const weekdays = [1, 2, 3, 4, 5, 6, 7]
/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5)
const DAY_MS = 24 * 60 * 60 * 1000

/** Schedule of automatic backups, the number kept and their offsite copy. */
export function BackupScheduleFields({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const locale = useLocale()
  const schedule = fields.form.backups
  const change = (changed: Partial<AdminSettings['backups']>) =>
    fields.change({ backups: { ...schedule, ...changed, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone } })
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
  return (
    <div className="mb-4 grid gap-4 sm:grid-cols-2">
      <Select
        label={text('backups.schedule.every')}
        hint={text('backups.schedule.everyHint')}
        options={rhythms.map((rhythm) => ({ value: rhythm, label: text(`backups.schedule.${rhythm}`) }))}
        value={schedule.every}
        onValueChange={(every) => change({ every: every as (typeof rhythms)[number] })}
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
          onValueChange={(weekday) => change({ weekday: Number(weekday) })}
        />
      )}
      {schedule.every !== 'never' && (
        <TextField
          label={text('backups.schedule.at')}
          hint={text('backups.schedule.atHint', { zone: schedule.time_zone })}
          type="time"
          value={schedule.at}
          error={fields.errorOf('backups.at')}
          onChange={(event) => change({ at: event.target.value })}
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

/** Button that opens the address as the next copy would, with the outcome. */
function OffsiteTest({ address }: { address: string }) {
  const text = useText('settings-admin')
  const errorText = useErrorText()
  const test = useMutation({
    mutationFn: testOffsite,
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
