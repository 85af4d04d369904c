import type { MediaType } from '@mira/shared'
import { useText } from '../../../lib/i18n/i18n.ts'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { mentionIcons } from '../messages/mention-chips.tsx'
import { OptionList } from './option-list.tsx'
import type { MentionMenu, MentionOption } from './use-mention-menu.ts'

/** The id of an entry, by which the field says which one is meant. */
export const mentionOptionId = (option: MentionOption): string =>
  `mention-${option.kind}-${option.kind === 'item' ? option.item.media_id : (option.mention.id ?? option.name)}`.replace(
    /\s/g,
    '_',
  )

/** Suggested mentions above the field. */
export function MentionList({ id, menu: { options, activeIndex, choose } }: { id: string; menu: MentionMenu }) {
  const text = useText('chat')
  if (options.length === 0) return null
  return (
    <OptionList
      id={id}
      label={text('mentions.offered')}
      status={text('mentions.found', { count: options.length })}
      activeIndex={activeIndex}
      options={options.map((option) => ({
        id: mentionOptionId(option),
        onChoose: () => choose(option),
        content: (
          <>
            <Mark option={option} />
            <span className="min-w-0 flex-1 truncate text-14">{option.name}</span>
            <span className="shrink-0 text-12 text-muted">{text(`mentions.kinds.${option.kind}`)}</span>
          </>
        ),
      }))}
    />
  )
}

function Mark({ option }: { option: MentionOption }) {
  const look = 'size-4 shrink-0 text-muted'
  if (option.kind === 'item') return <MediaIcon type={option.item.media_type as MediaType} className={look} />
  const Icon = mentionIcons[option.kind]
  return <Icon aria-hidden className={look} />
}
