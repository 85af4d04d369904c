import type { ChatSessionJson } from '@mira/shared'
import {
  Archive,
  ArchiveRestore,
  FileBraces,
  FileText,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Printer,
  Share2,
  Tag,
  Trash2,
} from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { printedChatPath } from '../../../lib/session/paths.ts'
import { DropdownMenuPanel, type OpenMenuProps } from '../../../ui/dropdown-menu-panel.tsx'

/** Menu of a conversation in the list, in a chunk loaded on first use. */
export function SessionMenu({
  trigger,
  focusFirst,
  session,
  onPin,
  onRename,
  onTag,
  onMove,
  onArchive,
  onShare,
  onExport,
  onDelete,
}: SessionMenuProps) {
  const text = useText('chat')
  const conversationsText = useText('conversations')
  const projectsText = useText('projects')
  const sharesText = useText('shares')
  return (
    <DropdownMenuPanel
      trigger={trigger}
      focusFirst={focusFirst}
      align="end"
      entries={[
        {
          key: 'pin',
          label: text(session.pinned ? 'list.unpin' : 'list.pin'),
          icon: session.pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />,
          onSelect: () => onPin(!session.pinned),
        },
        {
          key: 'rename',
          label: text('rename.action'),
          icon: <Pencil aria-hidden />,
          shortcut: 'F2',
          onSelect: onRename,
        },
        {
          key: 'tags',
          label: conversationsText('tags.action'),
          icon: <Tag aria-hidden />,
          onSelect: onTag,
        },
        {
          key: 'move',
          label: projectsText('moveAction'),
          icon: <FolderInput aria-hidden />,
          onSelect: onMove,
        },
        {
          key: 'archive',
          label: conversationsText(session.archived ? 'archive.restore' : 'archive.action'),
          icon: session.archived ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />,
          onSelect: () => onArchive(!session.archived),
        },
        {
          key: 'share',
          label: sharesText('share'),
          icon: <Share2 aria-hidden />,
          onSelect: onShare,
        },
        {
          key: 'print',
          label: sharesText('print'),
          icon: <Printer aria-hidden />,
          // in a new tab, because an answer may still be generated in this one
          onSelect: () => window.open(printedChatPath(session.id), '_blank', 'noopener'),
        },
        {
          key: 'markdown',
          label: text('export.markdown'),
          icon: <FileText aria-hidden />,
          onSelect: () => onExport('markdown'),
        },
        {
          key: 'json',
          label: text('export.json'),
          icon: <FileBraces aria-hidden />,
          onSelect: () => onExport('json'),
        },
        {
          key: 'delete',
          label: text('delete.action'),
          icon: <Trash2 aria-hidden />,
          tone: 'danger',
          shortcut: text('list.deleteKey'),
          onSelect: onDelete,
        },
      ]}
    />
  )
}

export type SessionMenuProps = OpenMenuProps & {
  session: ChatSessionJson
  onPin: (isPinned: boolean) => void
  /** Starts renaming. */
  onRename: () => void
  onTag: () => void
  onMove: () => void
  onArchive: (isArchived: boolean) => void
  onShare: () => void
  onExport: (format: 'markdown' | 'json') => void
  onDelete: () => void
}
