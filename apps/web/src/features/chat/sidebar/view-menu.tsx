import { useQuery } from '@tanstack/react-query'
import { Archive, ChevronDown, Folder, FolderPlus, MessagesSquare, Tag, Trash2 } from 'lucide-react'
import { useNavigate } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { trashPath } from '../../../lib/session/paths.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import type { MenuEntry } from '../../../ui/dropdown-menu-panel.tsx'
import { projectsQuery } from '../chat-queries.ts'
import type { SessionFilter } from '../conversation/chat-calls.ts'
import { chatTagsQuery } from './use-session-list.ts'

/** Subset of the conversations that the list shows. */
export type ListView =
  | { kind: 'all' }
  | { kind: 'archive' }
  | { kind: 'tag'; tag: string }
  | { kind: 'project'; projectId: string }

export const ALL_CONVERSATIONS: ListView = { kind: 'all' }

/** Request filter of a view. A search over all conversations includes the archive. */
export function filterOf(view: ListView, query: string): SessionFilter {
  if (view.kind === 'archive') return { query, archived: 'true' }
  if (view.kind === 'tag') return { query, archived: 'any', tag: view.tag }
  if (view.kind === 'project') return { query, archived: 'any', projectId: view.projectId }
  return query === '' ? { query } : { query, archived: 'any' }
}

const MAX_TAGS = 30

/** Menu of views: all conversations, a project's, a tag's, or the archive. */
export function ViewMenu({ view, onChange, onNewProject }: ViewMenuProps) {
  const text = useText('conversations')
  const projectsText = useText('projects')
  const navigate = useNavigate()
  const { data: tags = [] } = useQuery(chatTagsQuery)
  const { data: projects = [] } = useQuery(projectsQuery)
  const name =
    view.kind === 'tag'
      ? view.tag
      : view.kind === 'project'
        ? (projects.find(({ id }) => id === view.projectId)?.name ?? '')
        : text(`view.${view.kind}`)
  const entries: MenuEntry[] = [
    {
      key: 'all',
      label: text('view.all'),
      icon: <MessagesSquare aria-hidden />,
      checked: view.kind === 'all',
      onSelect: () => onChange(ALL_CONVERSATIONS),
    },
    {
      key: 'archive',
      label: text('view.archive'),
      icon: <Archive aria-hidden />,
      checked: view.kind === 'archive',
      onSelect: () => onChange({ kind: 'archive' }),
    },
    {
      key: 'trash',
      label: text('view.trash'),
      icon: <Trash2 aria-hidden />,
      onSelect: () => void navigate(trashPath('conversations')),
    },
  ]
  entries.push({ kind: 'heading', key: 'projects', label: projectsText('title') })
  for (const project of projects) {
    entries.push({
      key: `project-${project.id}`,
      label: project.name,
      icon: <Folder aria-hidden />,
      checked: view.kind === 'project' && view.projectId === project.id,
      onSelect: () => onChange({ kind: 'project', projectId: project.id }),
    })
  }
  entries.push({
    key: 'new-project',
    label: projectsText('new'),
    icon: <FolderPlus aria-hidden />,
    onSelect: onNewProject,
  })
  if (tags.length > 0) entries.push({ kind: 'heading', key: 'tags', label: text('view.tags') })
  for (const { tag } of tags.slice(0, MAX_TAGS)) {
    entries.push({
      key: `tag-${tag}`,
      label: tag,
      icon: <Tag aria-hidden />,
      checked: view.kind === 'tag' && view.tag === tag,
      onSelect: () => onChange({ kind: 'tag', tag }),
    })
  }
  return (
    <DropdownMenu
      trigger={
        <button
          type="button"
          aria-label={text('view.button', { view: name })}
          className={buttonClass({ variant: 'ghost', size: 'sm', className: 'min-w-0 flex-1 justify-start' })}
        >
          <span className="truncate">{name}</span>
          <ChevronDown aria-hidden className="ml-auto" />
        </button>
      }
      entries={entries}
    />
  )
}

type ViewMenuProps = { view: ListView; onChange: (view: ListView) => void; onNewProject: () => void }
