import type { AdminSettings } from '@mira/shared'
import { useLocale, useText } from '../../lib/i18n.ts'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { NumberSetting } from './number-setting.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const rhythms = ['never', 'day', 'week'] as const
const weekdays = [1, 2, 3, 4, 5, 6, 7]
/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5)
const DAY_MS = 24 * 60 * 60 * 1000

/** When backups are made by themselves, and how many stay. */
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
    </div>
  )
}
