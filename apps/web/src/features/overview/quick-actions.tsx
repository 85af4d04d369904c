import { type Access, can } from '@mira/shared/access'
import { Bot, Brain, Lock, type LucideIcon, MessageSquare, Upload } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { useShortcutsEnabled } from '../../lib/keyboard.ts'
import { assistantName } from '../../lib/page-meta.ts'
import { goKeys, paths } from '../../lib/paths.ts'
import { useUser } from '../../lib/session.ts'
import { Kbd } from '../../ui/kbd.tsx'

interface Action {
  /** Its words are `actions.<name>`. */
  name: 'chat' | 'upload' | 'search' | 'agents'
  path: string
  access: Access
  Icon: LucideIcon
}

/** Targets of the tiles, with the access each needs. */
const actions: readonly Action[] = [
  { name: 'chat', path: paths.chat, access: 'chat', Icon: MessageSquare },
  { name: 'upload', path: paths.upload, access: 'upload', Icon: Upload },
  { name: 'search', path: paths.memory, access: 'upload', Icon: Brain },
  { name: 'agents', path: paths.agents, access: 'agents', Icon: Bot },
]

/** Tiles that lead to what people do most, each with a key of its own. */
export function QuickActions() {
  const text = useText('overview')
  return (
    <section aria-labelledby="quick-actions">
      <h2 id="quick-actions" className="mb-3 text-16 font-semibold tracking-tight">
        {text('actions.title')}
      </h2>
      <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 sm:gap-4 xl:grid-cols-4">
        {actions.map((action) => (
          <li key={action.name} className="grid min-w-0">
            <ActionTile {...action} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ActionTile({ name, path, access, Icon }: Action) {
  const text = useText('overview')
  const isAllowed = can(useUser(), access)
  const [areShortcutsEnabled] = useShortcutsEnabled()
  const title = text(`actions.${name}.title`)
  const letter = areShortcutsEnabled ? goKeys.get(path)?.toUpperCase() : undefined
  if (!isAllowed) {
    return (
      <div
        aria-disabled
        className="flex items-center gap-3.5 rounded-card border border-dashed border-border p-4 text-muted"
      >
        <span aria-hidden className="grid size-10 shrink-0 place-items-center rounded-control bg-surface-sunken">
          <Icon className="size-5 opacity-55" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block text-14 font-medium">{title}</span>
          <span className="block text-13">{text('actions.restricted')}</span>
        </span>
        <Lock aria-hidden className="size-4 shrink-0" />
      </div>
    )
  }
  return (
    <Link
      to={path}
      aria-keyshortcuts={letter}
      className="group flex items-center gap-3.5 rounded-card border border-border bg-surface-raised p-4 shade-on-hover transition-colors hover:border-border-strong"
    >
      <span
        aria-hidden
        className="grid size-10 shrink-0 place-items-center rounded-control bg-accent-soft text-accent-text transition-colors group-hover:bg-accent group-hover:text-on-accent"
      >
        <Icon className="size-5" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block text-14 font-medium">{title}</span>
        <span className="block text-13 text-pretty text-muted">
          {text(`actions.${name}.text`, { assistant: assistantName() })}
        </span>
      </span>
      {letter && (
        <span aria-hidden className="shrink-0 self-start pointer-coarse:hidden">
          <Kbd>{letter}</Kbd>
        </span>
      )}
    </Link>
  )
}
