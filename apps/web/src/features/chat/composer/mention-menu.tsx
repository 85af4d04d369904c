import type { AttachedMedia, MediaType, Mention } from '@mira/shared'
import { can } from '@mira/shared/access'
import { agentNames, answerToolNames, SEARCH_WEB } from '@mira/shared/constants/agents'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { fetchLibrary } from '../../../lib/api/library.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { MediaIcon } from '../../../ui/media-icon.tsx'
import { personaToolsQuery, projectsQuery } from '../chat-queries.ts'
import { attachedOf } from '../messages/attached-items.tsx'
import { mentionIcons, useMentionName } from '../messages/mention-chips.tsx'
import { useModels } from '../models/use-models.ts'
import { webQuery } from '../models/web-switch.tsx'
import { OptionList, takeMenuKey } from './option-list.tsx'

/** `@` or `#` at the beginning of a word, with the part of the word before the caret. */
const TRIGGER = /(?:^|\s)([@#])([\p{L}\p{N}_.-]{0,40})$/u
const MAX_PER_KIND = 4
const MAX_TAGS = 8
/** Delay before a search, so that the library isn't searched for every letter. */
const TYPING_PAUSE_MS = 150

/** Something that can be mentioned. */
type MentionOption =
  | { kind: 'item'; name: string; item: AttachedMedia }
  | { kind: Mention['kind']; name: string; mention: Mention }

/** Suggestions for the mention being typed before the caret, and its keys. */
interface MentionMenu {
  /** Suggestions; empty while no mention is being typed, or nothing is found. */
  options: readonly MentionOption[]
  activeIndex: number
  choose: (option: MentionOption) => void
  /** Handles a key; false when it isn't meant for the menu. */
  takeKey: (event: KeyboardEvent) => boolean
}

/**
 * Finds suggestions for the mention being typed before the caret.
 *
 * @param onChoose gets the chosen option and the edited draft: the typed mention is removed, or replaced with the option's name
 *   if that's part of the sentence.
 */
export function useMentionMenu(
  draft: string,
  caret: number,
  onChoose: (option: MentionOption, edit: { draft: string; caret: number }) => void,
): MentionMenu {
  const before = draft.slice(0, caret)
  const [, sign, word = ''] = TRIGGER.exec(before) ?? []
  const [dismissedText, setDismissedText] = useState<string>()
  const [active, setActive] = useState({ before, index: 0 })
  const options = useMentionOptions(dismissedText === before ? undefined : sign, word)
  const activeIndex = active.before === before ? Math.min(active.index, Math.max(0, options.length - 1)) : 0

  const choose = (option: MentionOption) => {
    const textBefore = before.slice(0, before.length - word.length - 1)
    // Agents and tools are called, so their names aren't part of the sentence.
    const textWithName = option.kind === 'agent' || option.kind === 'tool' ? textBefore : `${textBefore}${option.name} `
    onChoose(option, { draft: textWithName + draft.slice(caret).trimStart(), caret: textWithName.length })
  }
  return {
    options,
    activeIndex,
    choose,
    takeKey: (event) =>
      options.length > 0 &&
      takeMenuKey(event, {
        count: options.length,
        activeIndex,
        move: (index) => setActive({ before, index }),
        dismiss: () => setDismissedText(before),
        choose: (index) => options[index] && choose(options[index]),
      }),
  }
}

function useMentionOptions(sign: string | undefined, word: string): MentionOption[] {
  const user = useUser()
  const nameOf = useMentionName()
  const [hasLibrary, hasAgents] = [can(user, 'upload'), can(user, 'agents')]
  const isAtMention = sign === '@'
  const isTagMention = sign === '#' && hasLibrary
  const term = word.toLowerCase()
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: isAtMention })
  const { data: tags = [] } = useQuery({
    queryKey: ['mention-tags'],
    queryFn: ({ signal }) => call('GET /media/tags', { signal }).then(({ tags }) => tags),
    enabled: isTagMention,
    staleTime: 30_000,
  })
  const { data: items = [], isPlaceholderData: areStale } = useQuery({
    queryKey: ['mention-items', term],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE_MS))
      signal.throwIfAborted()
      const { media_items } = await fetchLibrary({ query: term, limit: MAX_PER_KIND, cursor: null }, signal)
      return media_items.map(attachedOf)
    },
    enabled: isAtMention && hasLibrary,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const toolNames = useToolNames(isAtMention, hasAgents)
  const optionOf = (mention: Mention): MentionOption => ({ kind: mention.kind, name: nameOf(mention), mention })
  const matches = ({ name }: { name: string }) => name.toLowerCase().includes(term)
  if (isTagMention) {
    return tags
      .map(({ tag }) => optionOf({ kind: 'tag', id: null, name: tag }))
      .filter(matches)
      .slice(0, MAX_TAGS)
  }
  if (!isAtMention) return []
  const itemOptions = hasLibrary ? items.map((item): MentionOption => ({ kind: 'item', name: item.title, item })) : []
  const agents = hasAgents ? agentNames.map((name) => optionOf({ kind: 'agent', id: null, name })) : []
  const tools = toolNames.map((name) => optionOf({ kind: 'tool', id: null, name }))
  const projectOptions = projects.map(({ id, name }) => optionOf({ kind: 'project', id, name }))
  return [
    // Enter must not attach a result of the previous search that doesn't match the new letters.
    ...(areStale ? itemOptions.filter(matches) : itemOptions),
    ...projectOptions.filter(matches).slice(0, MAX_PER_KIND),
    ...agents.filter(matches).slice(0, MAX_PER_KIND),
    ...tools.filter(matches).slice(0, MAX_PER_KIND),
  ]
}

const builtInNames: readonly string[] = [...agentNames, ...answerToolNames]

/** Names of web search, where it's allowed, and of connected servers' tools; none when no model could call them. */
function useToolNames(isWanted: boolean, hasAgents: boolean): string[] {
  const models = useModels()
  const { data: web } = useQuery({ ...webQuery, enabled: isWanted })
  const { data: names = [] } = useQuery({ ...personaToolsQuery, enabled: isWanted && hasAgents, staleTime: 30_000 })
  if (models === undefined || models.length === 0) return []
  return [
    ...(web?.search ? [SEARCH_WEB] : []),
    ...(hasAgents ? names.filter((name) => !builtInNames.includes(name)) : []),
  ]
}

/** DOM id of an option, for the field's `aria-activedescendant`. */
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
            <OptionIcon option={option} />
            <span className="min-w-0 flex-1 truncate text-14">{option.name}</span>
            <span className="shrink-0 text-12 text-muted">{text(`mentions.kinds.${option.kind}`)}</span>
          </>
        ),
      }))}
    />
  )
}

function OptionIcon({ option }: { option: MentionOption }) {
  const className = 'size-4 shrink-0 text-muted'
  if (option.kind === 'item') return <MediaIcon type={option.item.media_type as MediaType} className={className} />
  const Icon = mentionIcons[option.kind]
  return <Icon aria-hidden className={className} />
}
