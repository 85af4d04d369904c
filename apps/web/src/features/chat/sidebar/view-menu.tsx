import { useQuery } from '@tanstack/react-query'
import { Archive, ChevronDown, MessagesSquare, Tag } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { DropdownMenu } from '../../../ui/dropdown-menu.tsx'
import type { MenuEntry } from '../../../ui/dropdown-menu-panel.tsx'
import { ALL, type ListView } from './list-view.ts'
import { chatTagsQuery } from './tag-query.ts'

const MOST_TAGS = 30

/** Which conversations are listed: all, those of a tag, or what was archived. */
export function ViewMenu({ view, onChange }: ViewMenuProps) {
  const text = useText('conversations')
  const { data: tags = [] } = useQuery(chatTagsQuery)
  const name = view.kind === 'tag' ? view.tag : text(`view.${view.kind}`)
  const entries: MenuEntry[] = [
    {
      key: 'all',
      label: text('view.all'),
      icon: <MessagesSquare aria-hidden />,
      checked: view.kind === 'all',
      onSelect: () => onChange(ALL),
    },
    {
      key: 'archive',
      label: text('view.archive'),
      icon: <Archive aria-hidden />,
      checked: view.kind === 'archive',
      onSelect: () => onChange({ kind: 'archive' }),
    },
  ]
  if (tags.length > 0) entries.push({ kind: 'heading', key: 'tags', label: text('view.tags') })
  for (const { tag } of tags.slice(0, MOST_TAGS)) {
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

type ViewMenuProps = { view: ListView; onChange: (view: ListView) => void }
