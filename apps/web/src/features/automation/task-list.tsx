import type { AutomationTaskJson } from '@mira/shared'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CalendarClock, Pencil, Play } from 'lucide-react'
import { useState } from 'react'
import { updateTask } from '../../api/automation.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { useSentenceText } from '../../lib/sentences.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { Switch } from '../../ui/switch.tsx'
import { automationKey, useTrigger } from './automation-queries.ts'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { scheduleText } from './schedule-text.ts'
import { listTasks, NoTasks, type Tasks } from './task-cards.tsx'
import { EnabledBadge, RunStatusBadge, TaskIcon, useTaskWords } from './task-look.tsx'

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
    mutationFn: (isEnabled: boolean) => updateTask(name, { is_enabled: isEnabled }),
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
