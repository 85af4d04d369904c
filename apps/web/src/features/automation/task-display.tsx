import type { RunStatus, TaskType } from '@mira/shared'
import {
  Brain,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  FileText,
  LoaderCircle,
  SlidersHorizontal,
  Tags,
  Workflow,
} from 'lucide-react'
import { useText } from '../../lib/i18n/i18n.ts'
import { Badge } from '../../ui/badge.tsx'

const icons: Readonly<Record<string, typeof Brain>> = {
  memory_update: Brain,
  classifier_retrain: Tags,
  summary_generation: FileText,
  model_finetuning: SlidersHorizontal,
}

/** Name and description of a task; unknown tasks keep the server's name. */
export function useTaskWords(): (task: string) => { name: string; description: string | null } {
  const text = useText('automation')
  return (task) => {
    const key = task as TaskType
    return text.has(`tasks.${key}.name`)
      ? { name: text(`tasks.${key}.name`), description: text(`tasks.${key}.text`) }
      : { name: task, description: null }
  }
}

export function TaskIcon({ task }: { task: string }) {
  const Icon = icons[task] ?? Workflow
  return (
    <span className="flex size-9 shrink-0 items-center justify-center rounded-control bg-accent-soft text-accent-text [&_svg]:size-5">
      <Icon aria-hidden />
    </span>
  )
}

const looks = {
  completed: { tone: 'success', Icon: CircleCheck },
  running: { tone: 'accent', Icon: LoaderCircle },
  failed: { tone: 'danger', Icon: CircleX },
  pending: { tone: 'warning', Icon: CircleDashed },
  cancelled: { tone: 'neutral', Icon: CircleSlash },
} as const

/** Badge with the colour and name of a run's status. */
export function RunStatusBadge({ status }: { status: RunStatus }) {
  const text = useText('automation')
  const { tone, Icon } = looks[status]
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {text(`statuses.${status}`)}
    </Badge>
  )
}

export function EnabledBadge({ isEnabled }: { isEnabled: boolean }) {
  const text = useText('automation')
  return <Badge tone={isEnabled ? 'success' : 'neutral'}>{text(isEnabled ? 'enabled' : 'disabled')}</Badge>
}
