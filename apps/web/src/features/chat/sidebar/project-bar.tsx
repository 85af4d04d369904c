import type { ProjectJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { call } from '../../../lib/api/client.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { projectsQuery } from '../chat-queries.ts'
import { LIST_KEY } from './use-session-list.ts'

/** Sources of the selected project, and its actions. */
export function ProjectBar({ project, onEdit, onDeleted }: ProjectBarProps) {
  const text = useText('projects')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { name, instructions, items, search, limited } = project
  const details = [
    instructions !== '' && text('hasInstructions'),
    items.length > 0 && text('itemCount', { count: items.length }),
    search !== null && text('hasSearch', { search }),
    limited && items.length === 0 && search === null && text('nothingLeft'),
  ].filter((part) => part !== false)

  const remove = async () => {
    const isSure = await confirm({
      question: text('deleteQuestion', { name }),
      detail: text('deleteDetail'),
      confirmLabel: text('delete'),
      tone: 'danger',
    })
    if (!isSure) return
    try {
      await call('DELETE /projects/:id', { params: { id: project.id } })
    } catch (error) {
      showToast({ tone: 'danger', title: text('deleteFailed'), description: errorText(error) })
      return
    }
    onDeleted()
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey }),
      queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
    ])
  }
  return (
    <div className="flex items-center gap-1 rounded-control bg-hover py-1 pr-1 pl-3 text-12 text-muted">
      <p className="min-w-0 flex-1 text-pretty wrap-anywhere">
        {details.length > 0 ? details.join(' · ') : text('folder')}
      </p>
      <IconButton size="sm" name={text('edit', { name })} icon={<Pencil aria-hidden />} onClick={onEdit} />
      <IconButton
        size="sm"
        variant="danger"
        name={text('deleteOne', { name })}
        icon={<Trash2 aria-hidden />}
        onClick={() => void remove()}
      />
    </div>
  )
}

type ProjectBarProps = { project: ProjectJson; onEdit: () => void; onDeleted: () => void }
