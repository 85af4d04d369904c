import type { ChatSessionJson } from '@mira/shared'
import { Archive, ArchiveRestore, FolderInput, ListChecks, Tag, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

/** Selection of listed conversations; a conversation that is no longer listed is deselected. */
export function useSelection(listed: readonly ChatSessionJson[]) {
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string> | null>(null)
  const sessions = selectedIds === null ? [] : listed.filter(({ id }) => selectedIds.has(id))
  return {
    isOn: selectedIds !== null,
    sessions,
    ids: sessions.map(({ id }) => id),
    isAllArchived: sessions.length > 0 && sessions.every(({ archived }) => archived),
    has: (id: string) => selectedIds?.has(id) === true,
    set: (id: string, isSelected: boolean) =>
      setSelectedIds((before) => {
        const next = new Set(before)
        if (isSelected) next.add(id)
        else next.delete(id)
        return next
      }),
    all: () => setSelectedIds(new Set(listed.map(({ id }) => id))),
    begin: () => setSelectedIds(new Set()),
    end: () => setSelectedIds(null),
  }
}

/** Actions on the selected conversations. */
export function SelectionBar({
  count,
  isInArchive,
  onAll,
  onArchive,
  onMove,
  onTag,
  onDelete,
  onEnd,
}: SelectionBarProps) {
  const text = useText('conversations')
  const projectsText = useText('projects')
  const isNone = count === 0
  return (
    <div
      role="toolbar"
      aria-label={text('select.label')}
      className="flex flex-wrap items-center gap-0.5 border-t border-border bg-surface px-2 py-1.5"
    >
      <IconButton size="sm" name={text('select.end')} icon={<X aria-hidden />} onClick={onEnd} />
      <span role="status" className="order-first w-full px-1 text-13 tabular-nums">
        {text('select.count', { count })}
      </span>
      <IconButton size="sm" name={text('select.all')} icon={<ListChecks aria-hidden />} onClick={onAll} />
      <IconButton
        size="sm"
        name={text(isInArchive ? 'archive.restore' : 'archive.action')}
        icon={isInArchive ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
        disabled={isNone}
        onClick={onArchive}
      />
      <IconButton
        size="sm"
        name={projectsText('moveAction')}
        icon={<FolderInput aria-hidden />}
        disabled={isNone}
        onClick={onMove}
      />
      <IconButton size="sm" name={text('select.tags')} icon={<Tag aria-hidden />} disabled={isNone} onClick={onTag} />
      <IconButton
        size="sm"
        variant="danger"
        name={text('select.delete')}
        icon={<Trash2 aria-hidden />}
        disabled={isNone}
        onClick={onDelete}
      />
    </div>
  )
}

type SelectionBarProps = {
  count: number
  /** True when all selected conversations are archived. */
  isInArchive: boolean
  onAll: () => void
  onArchive: () => void
  onMove: () => void
  onTag: () => void
  onDelete: () => void
  onEnd: () => void
}
