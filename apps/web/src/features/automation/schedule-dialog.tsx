import 'cronstrue/locales/de'
import 'cronstrue/locales/es'
import 'cronstrue/locales/fr'
import type { AutomationTaskJson } from '@mira/shared'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import cronstrue from 'cronstrue'
import { useId, useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { createFormat } from '../../lib/format/format.ts'
import { useErrorText, useFieldErrors } from '../../lib/i18n/error-text.ts'
import { useLocale, useText } from '../../lib/i18n/i18n.ts'
import { timeZones, useSettings } from '../../lib/session/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { automationKey } from './automation-queries.ts'
import { useTaskWords } from './task-display.tsx'

/** Describes a cron schedule in a language; null when it's invalid. */
export function scheduleText(schedule: string, language: string): string | null {
  if (schedule.trim().split(/\s+/).length !== 5) return null
  try {
    return cronstrue.toString(schedule, { locale: language, use24HourTimeFormat: true })
  } catch {
    return null
  }
}

const presets = { hourly: '0 * * * *', daily: '0 3 * * *', weekly: '0 6 * * 1', monthly: '0 5 1 * *' } as const
type Preset = keyof typeof presets | 'none' | 'own'
const presetNames: Preset[] = ['none', 'hourly', 'daily', 'weekly', 'monthly', 'own']

function presetOf(schedule: string | null): Preset {
  if (schedule === null) return 'none'
  return presetNames.find((name) => name !== 'none' && name !== 'own' && presets[name] === schedule) ?? 'own'
}

/** Changes a task's schedule with a preset or a cron expression; shows its description and the next five runs. */
export function ScheduleDialog({
  name,
  task,
  onClose,
}: {
  name: string
  task: AutomationTaskJson
  onClose: () => void
}) {
  const text = useText('automation')
  const taskWords = useTaskWords()
  const appText = useText('app')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const { language } = useSettings()
  const queryClient = useQueryClient()
  const zonesId = useId()
  const [preset, setPreset] = useState(presetOf(task.schedule))
  const [cron, setCron] = useState(task.schedule ?? '')
  const [timeZone, setTimeZone] = useState(task.time_zone)
  const save = useMutation({
    mutationFn: () =>
      call('PUT /automation/tasks/:task_type', {
        params: { task_type: name },
        json: { schedule: preset === 'none' ? null : cron.trim(), time_zone: timeZone.trim() },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: automationKey }),
  })
  const description =
    preset === 'none' ? text('schedule.noneText') : (scheduleText(cron, language) ?? text('schedule.unread'))
  const { next_runs: nextRuns, schedule, time_zone: savedZone } = save.data ?? task
  const isUnchanged = (preset === 'none' ? null : cron.trim()) === schedule && timeZone.trim() === savedZone
  // in the schedule's time zone
  const { dateTime } = createFormat(useLocale(), savedZone)
  const errors = save.isError ? fieldErrors(save.error) : {}
  const failure = save.isError && !errors.schedule && !errors.time_zone ? errorText(save.error) : undefined
  const choose = (next: Preset) => {
    setPreset(next)
    if (next !== 'none' && next !== 'own') setCron(presets[next])
  }
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('schedule.title', { name: taskWords(name).name })}
      closeLabel={appText('common.close')}
      size="sm"
      onSubmit={() => save.mutate()}
      footer={
        <Button type="submit" variant="primary" loading={save.isPending}>
          {text('schedule.save')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Select
          label={text('schedule.when')}
          options={presetNames.map((value) => ({ value, label: text(`schedule.presets.${value}`) }))}
          value={preset}
          onValueChange={choose}
        />
        {preset === 'own' && (
          <TextField
            label={text('schedule.cron')}
            hint={text('schedule.cronHint')}
            value={cron}
            error={errors.schedule}
            spellCheck={false}
            onChange={(event) => setCron(event.target.value)}
          />
        )}
        <p className="text-14" aria-live="polite">
          {description}
        </p>
        <TextField
          label={text('schedule.zone')}
          value={timeZone}
          list={zonesId}
          error={errors.time_zone ?? failure}
          spellCheck={false}
          onChange={(event) => setTimeZone(event.target.value)}
        />
        <datalist id={zonesId}>
          {[...new Set([...timeZones, ...Intl.supportedValuesOf('timeZone')])].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {isUnchanged && nextRuns.length > 0 && (
          <div>
            <h3 className="text-13 text-muted">{text('schedule.nextFive', { zone: savedZone })}</h3>
            <ul className="mt-1 text-14 tabular-nums">
              {nextRuns.map((moment) => (
                <li key={moment}>{dateTime(moment)}</li>
              ))}
            </ul>
          </div>
        )}
        {save.isSuccess && isUnchanged && <p className="text-14 text-success-text">{text('schedule.saved')}</p>}
      </div>
    </Dialog>
  )
}
