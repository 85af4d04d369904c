import type { AutomationTaskJson } from '@mira/shared'
import { taskTypes } from '@mira/shared/constants/tasks'
import { Play, Workflow } from 'lucide-react'
import { RelativeTime } from '../../lib/components/relative-time.tsx'
import { useText } from '../../lib/i18n/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useTrigger } from './automation-queries.ts'
import { EnabledBadge, RunStatusBadge, TaskIcon, useTaskWords } from './task-look.tsx'

/** Tasks by their names, as the server tells of them. */
export type Tasks = Readonly<Record<string, AutomationTaskJson>>

/** The tasks that are there: those that are known in their order, then others. */
export function listTasks(tasks: Tasks): [name: string, AutomationTaskJson][] {
  const names: readonly string[] = taskTypes
  const orderOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.length)
  return Object.entries(tasks).sort(([one], [other]) => orderOf(one) - orderOf(other))
}

/** No task at all. */
export function NoTasks() {
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
