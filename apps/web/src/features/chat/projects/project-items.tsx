import type { AttachedMedia, KnownItem, MediaType } from '@mira/shared'
import { PROJECT_MAX_ITEMS } from '@mira/shared/constants/limits'
import { X } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { LibraryPicker } from '../library-picker.tsx'

/** The items of the library that something is answered from: to add to and take away. */
export function ProjectItems({ items, onChange }: ProjectItemsProps) {
  const text = useText('projects')
  const attached: AttachedMedia[] = items.map((item) => ({ ...item, thumbnail: null, url: null }))
  const add = (added: readonly AttachedMedia[]) => {
    const attachments = added.flatMap(({ media_id, title, media_type }) =>
      media_id === null ? [] : [{ media_id, title, media_type }],
    )
    onChange([...items, ...attachments].slice(0, PROJECT_MAX_ITEMS))
  }
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="text-13 font-medium">{text('items')}</legend>
      <p className="text-13 text-pretty text-muted">{text('itemsHint')}</p>
      {items.length > 0 && (
        <ul className="flex max-h-44 flex-col overflow-y-auto rounded-control border border-border px-1 py-1">
          {items.map((item) => (
            <li key={item.media_id} className="flex min-w-0 items-center gap-2 pl-2 text-14">
              <MediaIcon type={item.media_type as MediaType} className="size-4 shrink-0 text-muted" />
              <span className="min-w-0 flex-1 truncate">{item.title}</span>
              <IconButton
                size="sm"
                name={text('removeItem', { name: item.title })}
                icon={<X aria-hidden />}
                onClick={() => onChange(items.filter((other) => other !== item))}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <LibraryPicker attached={attached} most={PROJECT_MAX_ITEMS} onChoose={add} />
      </div>
    </fieldset>
  )
}

/** Says whether only what is attached is looked at, and gives the whole memory back where nothing is attached any more. */
export function LimitSwitch({ hasKnowledge, isLimited, onChange }: LimitSwitchProps) {
  const text = useText('projects')
  if (!hasKnowledge && !isLimited) return null
  return (
    <Switch
      label={text('limited')}
      description={text(hasKnowledge ? 'limitedHint' : 'nothingLeft')}
      checked
      disabled={hasKnowledge}
      onCheckedChange={onChange}
    />
  )
}

type LimitSwitchProps = { hasKnowledge: boolean; isLimited: boolean; onChange: (isLimited: boolean) => void }
type ProjectItemsProps = { items: readonly KnownItem[]; onChange: (items: KnownItem[]) => void }
