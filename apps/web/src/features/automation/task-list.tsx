import 'cronstrue/locales/de'
import 'cronstrue/locales/es'
import 'cronstrue/locales/fr'
import type { AutomationTaskJson } from '@mira/shared'
import { taskTypes } from '@mira/shared/constants/automation'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import cronstrue from 'cronstrue'
import { CalendarClock, Pencil, Play, Workflow } from 'lucide-react'
import { useId, useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { RelativeTime } from '../../lib/components/relative-time.tsx'
import { createFormat, useFormat } from '../../lib/format/format.ts'
import { useErrorText, useFieldErrors } from '../../lib/i18n/error-text.ts'
import { useLocale, useText } from '../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../lib/i18n/sentences.ts'
import { timeZones, useSettings } from '../../lib/session/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { Switch } from '../../ui/switch.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { automationKey, useTrigger } from './automation-queries.ts'
import { EnabledBadge, RunStatusBadge, TaskIcon, useTaskWords } from './task-look.tsx'

/** Tasks by their names, as the server tells of them. */
type Tasks = Readonly<Record<string, AutomationTaskJson>>

/** The tasks that are there: those that are known in their order, then others. */
function listTasks(tasks: Tasks): [name: string, AutomationTaskJson][] {
  const names: readonly string[] = taskTypes
  const orderOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  return Object.entries(tasks).sort(([one], [other]) => orderOf(one) - orderOf(other))
}

/** No task at all. */
function NoTasks() {
  const text = useText('automation')
  return (
    <Card className="py-8">
      <EmptyState icon={<Workflow />} title={text('noTasks.title')} text={text('noTasks.text')} level={3} />
    </Card>
  )
}

/** A card for each task: how its last run went, and a button that runs it now. */
export function TaskCards({ tasks }: { tasks: Tasks }) {
  const text = useText('automation')
  const taskWords = useTaskWords()
  const trigger = useTrigger()
  const listed = listTasks(tasks)
  if (listed.length === 0) return <NoTasks />
  return (
    <ul className="grid gap-4 sm:grid-cols-2">
      {listed.map(([name, { is_enabled, last_run }]) => {
        const isGoingOn = last_run?.status === 'running' || last_run?.status === 'pending'
        return (
          <li key={name} className="min-w-0">
            <Card className="flex h-full flex-col gap-4">
              <div className="flex items-start gap-3">
                <TaskIcon task={name} />
                <div className="min-w-0 flex-1">
                  <h3 className="text-16 font-semibold">{taskWords(name).name}</h3>
                  <p className="mt-0.5 text-13 text-muted">{taskWords(name).does}</p>
                </div>
                <EnabledBadge isEnabled={is_enabled} />
              </div>
              <div className="mt-auto flex flex-wrap items-center justify-between gap-3">
                <div className="flex flex-wrap items-center gap-2 text-13 text-muted">
                  {last_run === null ? text('neverRun') : <RunStatusBadge status={last_run.status} />}
                  {last_run?.started_at && <RelativeTime moment={last_run.started_at} />}
                </div>
                {is_enabled && (
                  <Button
                    size="sm"
                    icon={<Play aria-hidden />}
                    loading={trigger.isPending && trigger.variables === name}
                    disabled={isGoingOn}
                    aria-label={text('triggerNowOf', { name: taskWords(name).name })}
                    onClick={() => trigger.mutate(name)}
                  >
                    {text('triggerNow')}
                  </Button>
                )}
              </div>
            </Card>
          </li>
        )
      })}
    </ul>
  )
}

/** A schedule in plain words of a language; null when it is none. */
function scheduleText(schedule: string, language: string): string | null {
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

/** Changes when a task runs: a common choice or cron text, told in plain words, with the next five runs. */
function ScheduleDialog({ name, task, onClose }: { name: string; task: AutomationTaskJson; onClose: () => void }) {
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
  const words =
    preset === 'none' ? text('schedule.noneText') : (scheduleText(cron, language) ?? text('schedule.unread'))
  const { next_runs: nextRuns, schedule, time_zone: savedZone } = save.data ?? task
  const isAsSaved = (preset === 'none' ? null : cron.trim()) === schedule && timeZone.trim() === savedZone
  // as the schedule says them, which is in its own zone
  const { dateTime } = createFormat(useLocale(), savedZone)
  const wrong = save.isError ? fieldErrors(save.error) : {}
  const failure = save.isError && !wrong.schedule && !wrong.time_zone ? errorText(save.error) : undefined
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
            error={wrong.schedule}
            spellCheck={false}
            onChange={(event) => setCron(event.target.value)}
          />
        )}
        <p className="text-14" aria-live="polite">
          {words}
        </p>
        <TextField
          label={text('schedule.zone')}
          value={timeZone}
          list={zonesId}
          error={wrong.time_zone ?? failure}
          spellCheck={false}
          onChange={(event) => setTimeZone(event.target.value)}
        />
        <datalist id={zonesId}>
          {[...new Set([...timeZones, ...Intl.supportedValuesOf('timeZone')])].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        {isAsSaved && nextRuns.length > 0 && (
          <div>
            <h3 className="text-13 text-muted">{text('schedule.nextFive', { zone: savedZone })}</h3>
            <ul className="mt-1 text-14 tabular-nums">
              {nextRuns.map((moment) => (
                <li key={moment}>{dateTime(moment)}</li>
              ))}
            </ul>
          </div>
        )}
        {save.isSuccess && isAsSaved && <p className="text-14 text-success-text">{text('schedule.saved')}</p>}
      </div>
    </Dialog>
  )
}

/** Each task with its schedule, its next runs and how the last one went. */
export function TaskList({ tasks }: { tasks: Tasks }) {
  const listed = listTasks(tasks)
  if (listed.length === 0) return <NoTasks />
  return (
    <ul className="flex flex-col gap-4">
      {listed.map(([name, task]) => (
        <li key={name}>
          <TaskLine name={name} task={task} />
        </li>
      ))}
    </ul>
  )
}

function TaskLine({ name, task }: { name: string; task: AutomationTaskJson }) {
  const text = useText('automation')
  const taskWords = useTaskWords()
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const format = useFormat()
  const { language } = useSettings()
  const queryClient = useQueryClient()
  const trigger = useTrigger()
  const [isEditing, setIsEditing] = useState(false)
  const enable = useMutation({
    mutationFn: (isEnabled: boolean) =>
      call('PUT /automation/tasks/:task_type', { params: { task_type: name }, json: { is_enabled: isEnabled } }),
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: automationKey }),
  })
  const { is_enabled: isEnabled, schedule, time_zone: timeZone, next_runs: nextRuns, last_run: last } = task
  const { name: title } = taskWords(name)
  const isGoingOn = last?.status === 'running' || last?.status === 'pending'
  return (
    <Card className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-3">
        <TaskIcon task={name} />
        <h3 className="min-w-0 flex-1 text-16 font-semibold">{title}</h3>
        <EnabledBadge isEnabled={isEnabled} />
      </div>
      <dl className="grid gap-x-6 gap-y-3 text-14 sm:grid-cols-2">
        <div className="min-w-0">
          <dt className="text-13 text-muted">{text('schedule.label')}</dt>
          <dd className="wrap-anywhere">
            {schedule === null
              ? text('schedule.none')
              : `${scheduleText(schedule, language) ?? schedule} (${timeZone})`}
          </dd>
        </div>
        <div className="min-w-0">
          <dt className="text-13 text-muted">{text('schedule.next')}</dt>
          <dd>{nextRuns[0] ? format.dateTime(nextRuns[0]) : text('schedule.noNext')}</dd>
        </div>
        <div className="min-w-0">
          <dt className="text-13 text-muted">{text('lastRun')}</dt>
          <dd className="flex flex-wrap items-center gap-2">
            {last === null ? text('neverRun') : <RunStatusBadge status={last.status} />}
            {last?.started_at && <RelativeTime moment={last.started_at} />}
          </dd>
        </div>
        <div className="min-w-0">
          <dt className="text-13 text-muted">{text('duration')}</dt>
          <dd>{last?.duration == null ? text('notAvailable') : format.duration(last.duration)}</dd>
        </div>
      </dl>
      {last?.error && (
        <p className="text-14 wrap-anywhere text-danger-text">{sentenceText(last.error, last.error_told)}</p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-border pt-3">
        <Switch
          label={text('enable')}
          aria-label={text('enableOf', { name: title })}
          checked={isEnabled}
          disabled={enable.isPending}
          onCheckedChange={(isChecked) => enable.mutate(isChecked)}
          className="gap-3"
        />
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            icon={schedule === null ? <CalendarClock aria-hidden /> : <Pencil aria-hidden />}
            aria-label={text('schedule.editOf', { name: title })}
            onClick={() => setIsEditing(true)}
          >
            {text('schedule.edit')}
          </Button>
          {isEnabled && (
            <Button
              size="sm"
              icon={<Play aria-hidden />}
              loading={trigger.isPending}
              disabled={isGoingOn}
              aria-label={text('triggerOf', { name: title })}
              onClick={() => trigger.mutate(name)}
            >
              {text('trigger')}
            </Button>
          )}
        </div>
      </div>
      {isEditing && <ScheduleDialog name={name} task={task} onClose={() => setIsEditing(false)} />}
    </Card>
  )
}
