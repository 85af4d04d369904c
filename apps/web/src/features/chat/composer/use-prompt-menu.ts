import type { PromptJson } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { promptsQuery } from '../../../lib/prompts-query.ts'
import { takeMenuKey } from './menu-keys.ts'

/** A message that is only a slash and the beginning of a word asks for a saved prompt. */
const ASKED = /^\/([\p{L}\p{N}_-]*)$/u
const MOST_SHOWN = 8

/** The saved prompts that a draft asks for by a slash, and the keys that choose one. */
export interface PromptMenu {
  /** Null while none is asked for. */
  found: readonly PromptJson[] | null
  /** True when the user has no saved prompts. */
  isEmpty: boolean
  activeIndex: number
  choose: (prompt: PromptJson) => void
  /** True when the key was meant for the menu. */
  takeKey: (event: KeyboardEvent) => boolean
}

/** @param onChoose is told the prompt that takes the draft's place. */
export function usePromptMenu(draft: string, onChoose: (prompt: PromptJson) => void): PromptMenu {
  const asked = ASKED.exec(draft)?.[1]?.toLowerCase()
  /** Draft for which the menu was dismissed. */
  const [putAway, setPutAway] = useState<string>()
  const [active, setActive] = useState({ draft, index: 0 })
  const isOpen = asked !== undefined && putAway !== draft
  const { data } = useQuery({ ...promptsQuery, enabled: asked !== undefined })
  const found = isOpen && data !== undefined ? findPrompts(data, asked) : null
  const activeIndex = active.draft === draft ? Math.min(active.index, Math.max(0, (found?.length ?? 0) - 1)) : 0

  return {
    found,
    isEmpty: data?.length === 0,
    activeIndex,
    choose: onChoose,
    takeKey(event) {
      if (found === null) return false
      return takeMenuKey(event, {
        count: found.length,
        activeIndex,
        move: (index) => setActive({ draft, index }),
        putAway: () => setPutAway(draft),
        choose: (index) => found[index] && onChoose(found[index]),
      })
    },
  }
}

/** Matching prompts: those whose command starts with the text, then those whose command or title contains it. */
function findPrompts(prompts: readonly PromptJson[], asked: string): PromptJson[] {
  const begins = prompts.filter(({ command }) => command.startsWith(asked))
  const holds = prompts.filter(
    (prompt) => !begins.includes(prompt) && `${prompt.command} ${prompt.title.toLowerCase()}`.includes(asked),
  )
  return [...begins, ...holds].slice(0, MOST_SHOWN)
}
