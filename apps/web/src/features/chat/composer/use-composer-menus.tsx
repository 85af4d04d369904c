import type { PromptJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { promptsPath } from '../../../lib/session/paths.ts'
import { lazyDialog } from '../../../ui/dialog.tsx'
import { useChat } from '../chat-context.ts'
import { promptsQuery } from '../chat-queries.ts'
import { MentionList, mentionOptionId, useMentionMenu } from './mention-menu.tsx'
import { OptionList, OptionPanel, takeMenuKey } from './option-list.tsx'

/** Draft that consists only of a slash and the beginning of a word; it opens the saved prompts. */
const TRIGGER = /^\/([\p{L}\p{N}_-]*)$/u
const MAX_SHOWN = 8

/** Saved prompts that match the draft after its slash, and the menu's keys. */
interface PromptMenu {
  /** Null while the menu is closed. */
  matches: readonly PromptJson[] | null
  /** True when the user has no saved prompts. */
  isEmpty: boolean
  activeIndex: number
  choose: (prompt: PromptJson) => void
  /** Handles a key; false when it isn't meant for the menu. */
  takeKey: (event: KeyboardEvent) => boolean
}

/**
 * Finds the saved prompts that match a draft such as "/sum".
 *
 * @param onChoose gets the prompt that replaces the draft.
 */
function usePromptMenu(draft: string, onChoose: (prompt: PromptJson) => void): PromptMenu {
  const term = TRIGGER.exec(draft)?.[1]?.toLowerCase()
  const [dismissedDraft, setDismissedDraft] = useState<string>()
  const [active, setActive] = useState({ draft, index: 0 })
  const isOpen = term !== undefined && dismissedDraft !== draft
  const { data } = useQuery({ ...promptsQuery, enabled: term !== undefined })
  const matches = isOpen && data !== undefined ? findPrompts(data, term) : null
  const activeIndex = active.draft === draft ? Math.min(active.index, Math.max(0, (matches?.length ?? 0) - 1)) : 0

  return {
    matches,
    isEmpty: data?.length === 0,
    activeIndex,
    choose: onChoose,
    takeKey(event) {
      if (matches === null) return false
      return takeMenuKey(event, {
        count: matches.length,
        activeIndex,
        move: (index) => setActive({ draft, index }),
        dismiss: () => setDismissedDraft(draft),
        choose: (index) => matches[index] && onChoose(matches[index]),
      })
    },
  }
}

/** Prompts whose command starts with the text, followed by prompts whose command or title contains it. */
function findPrompts(prompts: readonly PromptJson[], query: string): PromptJson[] {
  const prefixMatches = prompts.filter(({ command }) => command.startsWith(query))
  const others = prompts.filter(
    (prompt) => !prefixMatches.includes(prompt) && `${prompt.command} ${prompt.title.toLowerCase()}`.includes(query),
  )
  return [...prefixMatches, ...others].slice(0, MAX_SHOWN)
}

/** DOM id of an option, for the field's `aria-activedescendant`. */
const promptOptionId = (id: string) => `prompt-${id}`

/** Matching prompts above the field. */
function PromptList({ id, menu: { matches, isEmpty, activeIndex, choose } }: { id: string; menu: PromptMenu }) {
  const text = useText('chat')
  if (matches === null || (matches.length === 0 && !isEmpty)) return null
  const status = text('prompts.found', { count: matches.length })
  if (isEmpty) {
    return (
      <OptionPanel status={status}>
        <p className="px-4 py-3 text-13 text-muted">
          {text.rich('prompts.none', {
            settings: (label) => (
              <Link to={promptsPath} className="text-accent-text underline underline-offset-2">
                {label}
              </Link>
            ),
          })}
        </p>
      </OptionPanel>
    )
  }
  return (
    <OptionList
      id={id}
      label={text('prompts.label')}
      status={status}
      activeIndex={activeIndex}
      options={matches.map((prompt) => ({
        id: promptOptionId(prompt.id),
        onChoose: () => choose(prompt),
        content: (
          <>
            <code className="max-w-1/3 shrink-0 truncate font-mono text-13 text-accent-text">/{prompt.command}</code>
            <span className="min-w-0 flex-1">
              <span className="block truncate text-14">{prompt.title}</span>
              <span className="block truncate text-12 text-muted">{prompt.text}</span>
            </span>
          </>
        ),
      }))}
    />
  )
}

const FillPromptDialog = lazyDialog(() => import('./fill-prompt-dialog.tsx').then((module) => module.FillPromptDialog))

const PROMPTS_ID = 'composer-prompts'
const MENTIONS_ID = 'composer-mentions'

/** Menus that open while a message is written: saved prompts after a slash, mentions after @ and #. */
export function useComposerMenus() {
  const { field, message } = useChat()
  const { draft, setDraft, mentioned, attached } = message
  const [promptToFill, setPromptToFill] = useState<PromptJson | null>(null)
  const [caret, setCaret] = useState(0)

  const insert = (content: string) => {
    setPromptToFill(null)
    setDraft(content)
    requestAnimationFrame(() => field.current?.focus())
  }
  const prompts = usePromptMenu(draft, (prompt) =>
    prompt.variables.length > 0 ? setPromptToFill(prompt) : insert(prompt.text),
  )
  const mentions = useMentionMenu(draft, mentioned ? caret : 0, (option, edit) => {
    if (option.kind === 'item') attached.add([option.item])
    else mentioned?.add([option.mention])
    setDraft(edit.draft)
    setCaret(edit.caret)
    requestAnimationFrame(() => field.current?.setSelectionRange(edit.caret, edit.caret))
  })
  const prompt = prompts.matches?.[prompts.activeIndex]
  const mention = mentions.options[mentions.activeIndex]

  return {
    /** Sets the position of the caret in the draft, where a mention is inserted. */
    setCaret,
    /** Passes a key to the open menu; false when no menu handled it. */
    takeKey: (event: KeyboardEvent) => prompts.takeKey(event) || mentions.takeKey(event),
    fieldProps: {
      'aria-controls': prompt ? PROMPTS_ID : mention && MENTIONS_ID,
      'aria-activedescendant': prompt ? promptOptionId(prompt.id) : mention && mentionOptionId(mention),
      'data-takes-escape': prompts.matches !== null || mention ? '' : undefined,
    },
    elements: (
      <>
        <PromptList id={PROMPTS_ID} menu={prompts} />
        <MentionList id={MENTIONS_ID} menu={mentions} />
        {promptToFill && (
          <FillPromptDialog prompt={promptToFill} onFilled={insert} onClose={() => setPromptToFill(null)} />
        )}
      </>
    ),
  }
}
