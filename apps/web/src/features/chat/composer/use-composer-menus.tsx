import type { PromptJson } from '@mira/shared'
import { type KeyboardEvent, type RefObject, useState } from 'react'
import { dialogLater } from '../../../ui/dialog-later.tsx'
import { MentionList, mentionOptionId } from '../mentions/mention-menu.tsx'
import { useMentionMenu } from '../mentions/use-mention-menu.ts'
import type { ChosenMentions } from '../mentions/use-mentions.ts'
import { PromptList, promptOptionId } from './prompt-menu.tsx'
import type { ChosenMedia } from './use-attached.ts'
import { usePromptMenu } from './use-prompt-menu.ts'

const FillPromptDialog = dialogLater(() => import('./fill-prompt-dialog.tsx').then((module) => module.FillPromptDialog))

const PROMPTS_ID = 'composer-prompts'
const MENTIONS_ID = 'composer-mentions'

interface ComposerMenusOptions {
  field: RefObject<HTMLTextAreaElement | null>
  draft: string
  named: ChosenMentions | undefined
  attached: Pick<ChosenMedia, 'add'>
  onDraftChange: (draft: string) => void
}

/** The menus that open while a message is written: saved prompts after a slash, and what may be named after @ and #. */
export function useComposerMenus({ field, draft, named, attached, onDraftChange }: ComposerMenusOptions) {
  const [filling, setFilling] = useState<PromptJson | null>(null)
  const [caret, setCaret] = useState(0)

  const insert = (written: string) => {
    setFilling(null)
    onDraftChange(written)
    requestAnimationFrame(() => field.current?.focus())
  }
  const prompts = usePromptMenu(draft, (prompt) =>
    prompt.variables.length > 0 ? setFilling(prompt) : insert(prompt.text),
  )
  const mentions = useMentionMenu(draft, named ? caret : 0, (option, written) => {
    if (option.kind === 'item') attached.add([option.item])
    else named?.add([option.mention])
    onDraftChange(written.draft)
    setCaret(written.caret)
    requestAnimationFrame(() => field.current?.setSelectionRange(written.caret, written.caret))
  })
  const prompt = prompts.found?.[prompts.activeIndex]
  const mention = mentions.found[mentions.activeIndex]

  return {
    /** Position of the caret in the draft, where a mention is inserted. */
    setCaret,
    /** True when an open menu handled the key. */
    takeKey: (event: KeyboardEvent) => prompts.takeKey(event) || mentions.takeKey(event),
    fieldProps: {
      'aria-controls': prompt ? PROMPTS_ID : mention && MENTIONS_ID,
      'aria-activedescendant': prompt ? promptOptionId(prompt.id) : mention && mentionOptionId(mention),
    },
    shown: (
      <>
        <PromptList id={PROMPTS_ID} menu={prompts} />
        <MentionList id={MENTIONS_ID} menu={mentions} />
        {filling && <FillPromptDialog prompt={filling} onFilled={insert} onClose={() => setFilling(null)} />}
      </>
    ),
  }
}
