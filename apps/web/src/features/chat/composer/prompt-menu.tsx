import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n.ts'
import { promptsPath } from '../../../lib/paths.ts'
import { OptionList, OptionPanel } from './option-list.tsx'
import type { PromptMenu } from './use-prompt-menu.ts'

/** The id of an entry, by which the field says which one is meant. */
export const promptOptionId = (id: string) => `prompt-${id}`

/** The saved prompts that are asked for, above the field. */
export function PromptList({ id, menu: { found, isEmpty, activeIndex, choose } }: { id: string; menu: PromptMenu }) {
  const text = useText('chat')
  if (found === null || (found.length === 0 && !isEmpty)) return null
  const status = text('prompts.found', { count: found.length })
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
      options={found.map((prompt) => ({
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
