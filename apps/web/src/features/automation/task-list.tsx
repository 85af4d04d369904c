import type { AutomationTaskJson } from '@mira/shared'
import { taskTypes } from '@mira/shared/constants/automation'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CalendarClock, Pencil, Play, Workflow } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { RelativeTime } from '../../lib/components/relative-time.tsx'
import { useFormat } from '../../lib/format/format.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../lib/i18n/sentences.ts'
import { useSettings } from '../../lib/session/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { Switch } from '../../ui/switch.tsx'
import { automationKey, useTriggerTask } from './automation-queries.ts'
import { ScheduleDialog, scheduleText } from './schedule-dialog.tsx'
import { EnabledBadge, RunStatusBadge, TaskIcon, useTaskWords } from './task-display.tsx'

/** Tasks by name. */
type Tasks = Readonly<Record<string, AutomationTaskJson>>

/** Known tasks in their fixed order, then unknown ones. */
function listTasks(tasks: Tasks): [name: string, AutomationTaskJson][] {
  const names: readonly string[] = taskTypes
  const orderOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  return Object.entries(tasks).sort(([one], [other]) => orderOf(one) - orderOf(other))
}

function NoTasks() {
  const text = useText('automation')
  return (
    <Card className="py-8">
      <EmptyState icon={<Workflow />} title={text('noTasks.title')} text={text('noTasks.text')} level={3} />
    </Card>
  )
}

/** A card for each task, with its last run and a button to run it now. */
export function TaskCards({ tasks }: { tasks: Tasks }) {
  const text = useText('automation')
  const taskWords = useTaskWords()
  const trigger = useTriggerTask()
  const listed = listTasks(tasks)
  if (listed.length === 0) return <NoTasks />
  return (
    <ul className="grid gap-4 sm:grid-cols-2">
      {listed.map(([name, { is_enabled, last_run }]) => {
        const isRunning = last_run?.status === 'running' || last_run?.status === 'pending'
        return (
          <li key={name} className="min-w-0">
            <Card className="flex h-full flex-col gap-4">
              <div className="flex items-start gap-3">
                <TaskIcon task={name} />
                <div className="min-w-0 flex-1">
                  <h3 className="text-16 font-semibold">{taskWords(name).name}</h3>
                  <p className="mt-0.5 text-13 text-muted">{taskWords(name).description}</p>
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
                    disabled={isRunning}
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

/** List of the tasks with their schedules, next runs and last results. */
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
  const trigger = useTriggerTask()
  const [isEditing, setIsEditing] = useState(false)
  const enable = useMutation({
    mutationFn: (isEnabled: boolean) =>
      call('PUT /automation/tasks/:task_type', { params: { task_type: name }, json: { is_enabled: isEnabled } }),
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: automationKey }),
  })
  const { is_enabled: isEnabled, schedule, time_zone: timeZone, next_runs: nextRuns, last_run: last } = task
  const { name: title } = taskWords(name)
  const isRunning = last?.status === 'running' || last?.status === 'pending'
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
              disabled={isRunning}
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
