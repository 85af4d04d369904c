import { Bot, Eye, Folder, HatGlasses, PanelLeft, Pencil, SquarePen } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths, temporaryChatPath } from '../../../lib/session/paths.ts'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { copyText } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { useChat } from '../chat-context.ts'
import { NameField } from '../sidebar/session-row.tsx'

const COPIED_MS = 1_500

/** The title, the conversation's name (a click renames it) and its id. */
export function ChatHeader({ isListShown, onShowList, onRename, onNewChat }: ChatHeaderProps) {
  const { state, isTemporary, persona, projectName, message } = useChat()
  const { sessionId, sessionName } = state
  // Only before the first message can a conversation become temporary, or stop being so.
  const mayBeTemporary = sessionId === null && state.items.length === 0
  const text = useText('chat')
  const personasText = useText('personas')
  const projectsText = useText('projects')
  const [isRenaming, setIsRenaming] = useState(false)
  const nameButton = useRef<HTMLButtonElement>(null)
  return (
    <header className="flex shrink-0 items-center gap-2 border-b border-border bg-surface-raised px-3 py-2 sm:px-4">
      {!isListShown && (
        <IconButton
          name={text('list.show')}
          icon={<PanelLeft aria-hidden />}
          tooltipSide="bottom"
          aria-expanded={false}
          onClick={onShowList}
        />
      )}
      <div className="min-w-0 flex-1">
        <h1 className="truncate text-16 leading-snug font-semibold">{text('title', { assistant: assistantName() })}</h1>
        {sessionId === null ? (
          <p className="h-6 truncate text-13 leading-6 text-muted">
            {text(isTemporary ? 'temporary.name' : 'newConversation')}
          </p>
        ) : (
          <div className="flex h-6 min-w-0 items-center gap-2 text-13 text-muted">
            {isRenaming ? (
              <NameField
                label={text('rename.label')}
                name={sessionName}
                className="h-7 max-w-80"
                onDone={(name, isByKey) => {
                  setIsRenaming(false)
                  if (name !== null) onRename(name)
                  if (isByKey) requestAnimationFrame(() => nameButton.current?.focus())
                }}
              />
            ) : (
              sessionName !== '' && (
                <button
                  ref={nameButton}
                  type="button"
                  aria-label={text('rename.of', { name: sessionName })}
                  onClick={() => setIsRenaming(true)}
                  className="group relative -ml-1.5 flex max-w-[calc(100%-4.5rem)] shrink-0 touch-area items-center gap-1.5 rounded-control px-1.5 py-0.5 text-text transition-colors shade-on-hover"
                >
                  <span className="truncate">{sessionName}</span>
                  <Pencil
                    aria-hidden
                    className="size-3.5 shrink-0 text-muted opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100 pointer-coarse:opacity-100"
                  />
                </button>
              )
            )}
            <SessionIdentifier id={sessionId} />
          </div>
        )}
      </div>
      {persona && (
        <Badge
          tone="ai"
          icon={<Bot role="img" aria-label={personasText('assistant')} />}
          className="max-w-40 max-sm:max-w-24"
        >
          {persona.name}
        </Badge>
      )}
      {projectName !== undefined && (
        <Badge icon={<Folder role="img" aria-label={projectsText('project')} />} className="max-w-40 max-sm:max-w-24">
          {projectName}
        </Badge>
      )}
      {message.pictures.pictures.length > 0 && (
        <Badge tone="ai" icon={<Eye aria-hidden />} className="shrink-0">
          {text('pictures.visionMode')}
        </Badge>
      )}
      {mayBeTemporary && (
        <Link
          to={isTemporary ? paths.chat : temporaryChatPath}
          aria-label={text(isTemporary ? 'temporary.end' : 'temporary.begin')}
          className={buttonClass({ size: 'sm', className: 'max-sm:px-2' })}
        >
          <HatGlasses aria-hidden />
          <span className="max-sm:hidden">{text(isTemporary ? 'temporary.end' : 'temporary.begin')}</span>
        </Link>
      )}
      {!isListShown && (
        <Link
          to={paths.chat}
          onClick={onNewChat}
          aria-label={text('newChat')}
          className={buttonClass({ size: 'sm', className: 'max-sm:px-2' })}
        >
          <SquarePen aria-hidden />
          <span className="max-sm:hidden">{text('newChat')}</span>
        </Link>
      )}
    </header>
  )
}

/** The full id, visually truncated where there's no room; a click copies it. */
function SessionIdentifier({ id }: { id: string }) {
  const text = useText('chat')
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    if (!(await copyText(id))) return
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), COPIED_MS)
  }
  return (
    <>
      <button
        type="button"
        title={text('copySessionId', { id })}
        onClick={() => void copy()}
        className="relative min-w-16 touch-area cursor-copy truncate rounded-control font-mono text-12 hover:text-text"
      >
        {isCopied ? text('markdown.copied') : id}
      </button>
      <span role="status" className="sr-only">
        {isCopied && text('markdown.copied')}
      </span>
    </>
  )
}

type ChatHeaderProps = {
  /** True while the list is beside the chat. */
  isListShown: boolean
  onShowList: () => void
  onRename: (sessionName: string) => void
  onNewChat: () => void
}
