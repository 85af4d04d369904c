import type { ChatSessionJson } from '@mira/shared'
import {
  Archive,
  ArchiveRestore,
  Ellipsis,
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
import { type KeyboardEvent, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { useFormat } from '../../../lib/format.ts'
import { useText } from '../../../lib/i18n.ts'
import { chatPath, printedChatPath } from '../../../lib/paths.ts'
import { snippetParts } from '../../../lib/snippet-parts.ts'
import { classNames } from '../../../ui/class-names.ts'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { NameField } from './name-field.tsx'

/** One conversation of the list: opens it, names it anew, deletes it. F2 and Delete do the last two by keyboard. */
export function SessionRow({
  session,
  isCurrent,
  isAnswering,
  onOpen,
  onPin,
  onArchive,
  onTag,
  onMove,
  onRename,
  onExport,
  onShare,
  onDelete,
}: SessionRowProps) {
  const text = useText('chat')
  const bulkText = useText('conversations')
  const projectsText = useText('projects')
  const sharesText = useText('shares')
  const format = useFormat()
  const [isRenaming, setIsRenaming] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  const name = session.session_name || text('list.unnamed')

  const handleKey = (event: KeyboardEvent<HTMLAnchorElement>) => {
    if (event.key === 'F2') setIsRenaming(true)
    else if (event.key === 'Delete') onDelete()
    else return
    event.preventDefault()
  }

  if (isRenaming) {
    return (
      <NameField
        label={text('rename.label')}
        name={session.session_name}
        className="h-11 sm:h-10"
        onDone={(next, isByKey) => {
          setIsRenaming(false)
          if (next !== null) onRename(next)
          if (isByKey) requestAnimationFrame(() => link.current?.focus())
        }}
      />
    )
  }
  return (
    <div
      className={classNames(
        'group relative flex min-w-0 flex-1 items-center rounded-control transition-colors',
        isCurrent ? 'bg-row-selected' : 'shade-on-hover',
      )}
    >
      <Link
        ref={link}
        to={chatPath(session.id, session.snippet_message_id)}
        aria-current={isCurrent ? 'page' : undefined}
        data-session-link={session.id}
        onClick={onOpen}
        onKeyDown={handleKey}
        className="flex min-h-11 min-w-0 flex-1 flex-col justify-center rounded-control py-1.5 pr-10 pl-3 pointer-coarse:pr-13 sm:min-h-0"
      >
        <span className={classNames('truncate text-14', isCurrent && 'font-medium')}>{name}</span>
        <span className="flex items-center gap-1.5 text-12 text-muted">
          {session.archived && <Archive role="img" aria-label={bulkText('view.archive')} className="size-3 shrink-0" />}
          {session.pinned && <Pin role="img" aria-label={text('list.pinned')} className="size-3 shrink-0" />}
          <TimeText
            text={format.time(session.updated_at)}
            absolute={format.dateTime(session.updated_at)}
            dateTime={session.updated_at}
          />
          <span aria-hidden>·</span>
          <span className="truncate tabular-nums">{text('list.messages', { count: session.message_count })}</span>
          {isAnswering && (
            <span className="ml-auto flex shrink-0 items-center gap-1 text-ai-text">
              <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-ai" />
              {text('list.answering')}
            </span>
          )}
        </span>
        {session.tags.length > 0 && (
          <span className="truncate text-12 text-muted">{session.tags.map((tag) => `#${tag}`).join(' ')}</span>
        )}
        {session.snippet != null && <Snippet text={session.snippet} />}
      </Link>
      <div className="absolute inset-y-0 right-1 flex items-center opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:opacity-100">
        <DropdownMenu
          align="end"
          trigger={<IconButton name={text('list.actions', { name })} icon={<Ellipsis aria-hidden />} size="sm" />}
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
              onSelect: () => setIsRenaming(true),
            },
            {
              key: 'tags',
              label: bulkText('tags.action'),
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
              label: bulkText(session.archived ? 'archive.restore' : 'archive.action'),
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
              // beside the conversation, whose answer may still be made
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
      </div>
    </div>
  )
}

/** Messages are Markdown, whose signs say nothing in an excerpt of two lines. */
const withoutMarkup = (text: string) => text.replace(/\*\*|`|\\(?=[#*_[\]])/g, '')

/** Where the words of a search stand in the conversation. */
function Snippet({ text }: { text: string }) {
  return (
    <span className="line-clamp-2 text-12 text-muted">
      {snippetParts(withoutMarkup(text)).map((part, index) =>
        part.isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: an excerpt does not change
          <mark key={index} className="rounded-[0.2rem] bg-warning-soft px-0.5 text-text">
            {part.text}
          </mark>
        ) : (
          part.text
        ),
      )}
    </span>
  )
}

export type SessionRowProps = {
  session: ChatSessionJson
  isCurrent: boolean
  /** True while an answer is being made in it. */
  isAnswering: boolean
  onOpen: () => void
  onPin: (isPinned: boolean) => void
  onArchive: (isArchived: boolean) => void
  onTag: () => void
  onMove: () => void
  onExport: (format: 'markdown' | 'json') => void
  onShare: () => void
  onRename: (sessionName: string) => void
  onDelete: () => void
}
