import type { Mention } from '@mira/shared'
import type { AgentName } from '@mira/shared/constants/agents'
import { SEARCH_WEB } from '@mira/shared/constants/agents'
import { Bot, FolderOpen, Hash, Wrench, X } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'

/** Identity of a mention within a message. */
export const mentionKey = ({ kind, id, name }: Mention): string => `${kind}/${id ?? name}`

/** Icons of the kinds of mentions. */
export const mentionIcons = { agent: Bot, tool: Wrench, project: FolderOpen, tag: Hash } as const

/** Translated name of a mention. */
export function useMentionName(): (mention: Mention) => string {
  const text = useText('personas')
  return ({ kind, name }) => {
    if (kind === 'agent') return text(`agents.${name as AgentName}`)
    return kind === 'tool' && name === SEARCH_WEB ? text(`answerTools.${name}`) : name
  }
}

/** Mentions of a message; with `onRemove`, each has a button to remove it. */
export function MentionChips({ mentions, onRemove }: MentionChipsProps) {
  const text = useText('chat')
  const nameOf = useMentionName()
  return (
    <ul
      aria-label={text(onRemove ? 'mentions.chosen' : 'mentions.label')}
      className={
        onRemove ? 'flex flex-wrap gap-2 border-b border-border px-3 pt-3 pb-2' : 'flex flex-wrap justify-end gap-2'
      }
    >
      {mentions.map((mention) => {
        const Icon = mentionIcons[mention.kind]
        const name = nameOf(mention)
        return (
          <li
            key={mentionKey(mention)}
            className="flex min-h-8 max-w-64 min-w-0 items-center gap-1.5 rounded-full border border-border bg-surface px-2.5 py-1 text-13"
          >
            <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
            <span className="sr-only">{text(`mentions.kinds.${mention.kind}`)}: </span>
            <span className="truncate">{name}</span>
            {onRemove && (
              <button
                type="button"
                aria-label={text('attach.remove', { name })}
                onClick={() => onRemove(mention)}
                className="relative -mr-1 grid size-6 shrink-0 touch-area place-items-center rounded-full transition-colors shade-on-hover"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

type MentionChipsProps = { mentions: readonly Mention[]; onRemove?: (mention: Mention) => void }
