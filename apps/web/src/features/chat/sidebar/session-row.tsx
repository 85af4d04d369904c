import { SESSION_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { Archive, Ellipsis, Pin } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { useFormat } from '../../../lib/format/format.ts'
import { type Highlights, highlightedParts } from '../../../lib/format/inline-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { classNames } from '../../../ui/class-names.ts'
import { lazyMenu } from '../../../ui/dropdown-menu.tsx'
import { controlClass } from '../../../ui/field.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { isComposing } from '../../../ui/is-composing.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import type { SessionMenuProps } from './session-menu.tsx'

/** Field that replaces a name to edit it: Enter or leaving the field saves, Escape cancels. */
export function NameField({ label, name, onDone, className }: NameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)

  useEffect(() => field.current?.select(), [])

  const finish = (value: string | null, isByKey: boolean) => {
    if (isDone.current) return
    isDone.current = true
    const next = value?.trim() ?? ''
    onDone(next === '' || next === name ? null : next, isByKey)
  }
  const handleKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    finish(event.key === 'Enter' ? event.currentTarget.value : null, true)
  }
  return (
    <input
      ref={field}
      // biome-ignore lint/a11y/noAutofocus: the user asked for this field a moment ago
      autoFocus
      aria-label={label}
      defaultValue={name}
      maxLength={SESSION_NAME_MAX_CHARACTERS}
      data-takes-escape=""
      onKeyDown={handleKey}
      onBlur={(event: FocusEvent<HTMLInputElement>) => finish(event.currentTarget.value, false)}
      className={classNames(controlClass, className)}
    />
  )
}

type NameFieldProps = {
  label: string
  name: string
  /**
   * Called once, with the new name or null if unchanged. `isByKey` is true after Enter or Escape: the focus was still in the
   * field, so the caller must move it.
   */
  onDone: (name: string | null, isByKey: boolean) => void
  className?: string
}

const SessionMenu = lazyMenu(() => import('./session-menu.tsx').then((module) => module.SessionMenu))

/** Row of a conversation: opens it, renames it (F2) or deletes it (Delete). */
export function SessionRow({ session, isCurrent, isAnswering, onOpen, onRename, ...actions }: SessionRowProps) {
  const text = useText('chat')
  const [isRenaming, setIsRenaming] = useState(false)
  const link = useRef<HTMLAnchorElement>(null)
  const name = session.session_name || text('list.unnamed')

  const handleKey = (event: KeyboardEvent<HTMLAnchorElement>) => {
    if (event.key === 'F2') setIsRenaming(true)
    else if (event.key === 'Delete') actions.onDelete()
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
        <SessionDetails session={session} isAnswering={isAnswering} />
        {session.tags.length > 0 && (
          <span className="truncate text-12 text-muted">{session.tags.map((tag) => `#${tag}`).join(' ')}</span>
        )}
        {session.snippet != null && <Snippet text={session.snippet} highlights={session.snippet_highlights} />}
      </Link>
      <div className="absolute inset-y-0 right-1 flex items-center opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:opacity-100">
        <SessionMenu
          {...actions}
          trigger={<IconButton name={text('list.actions', { name })} icon={<Ellipsis aria-hidden />} size="sm" />}
          session={session}
          onRename={() => setIsRenaming(true)}
        />
      </div>
    </div>
  )
}

/** Time of the last message, number of messages, and marks for an archived, pinned or answering conversation. */
function SessionDetails({ session, isAnswering }: Pick<SessionRowProps, 'session' | 'isAnswering'>) {
  const text = useText('chat')
  const conversationsText = useText('conversations')
  const format = useFormat()
  return (
    <span className="flex items-center gap-1.5 text-12 text-muted">
      {session.archived && (
        <Archive role="img" aria-label={conversationsText('view.archive')} className="size-3 shrink-0" />
      )}
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
  )
}

/** Removes Markdown syntax, which is only noise in an excerpt of two lines. */
const withoutMarkup = (text: string) => text.replace(/\*\*|`|\\(?=[#*_[\]])/g, '')

/** Excerpt of the conversation around the search words. */
function Snippet({ text, highlights }: { text: string; highlights: Highlights | undefined }) {
  return (
    <span className="line-clamp-2 text-12 text-muted">
      {highlightedParts(text, highlights).map((part, index) =>
        part.isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: an excerpt does not change
          <mark key={index} className="rounded-[0.2rem] bg-warning-soft px-0.5 text-text">
            {withoutMarkup(part.text)}
          </mark>
        ) : (
          withoutMarkup(part.text)
        ),
      )}
    </span>
  )
}

type SessionRowProps = Omit<SessionMenuProps, 'trigger' | 'focusFirst' | 'onRename'> & {
  isCurrent: boolean
  /** True while an answer is being generated in the conversation. */
  isAnswering: boolean
  onOpen: () => void
  onRename: (sessionName: string) => void
}
