import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n.ts'
import { promptsPath } from '../../../lib/paths.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { PromptMenu } from './use-prompt-menu.ts'

/** The id of an entry, by which the field says which one is meant. */
export const promptOptionId = (id: string) => `prompt-${id}`

/** The saved prompts that are asked for, above the field; the field keeps the focus. */
export function PromptList({ id, menu: { found, isEmpty, activeIndex, choose } }: { id: string; menu: PromptMenu }) {
  const text = useText('chat')
  const active = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again when another one is meant
  useEffect(() => active.current?.scrollIntoView?.({ block: 'nearest' }), [activeIndex])
  if (found === null || (found.length === 0 && !isEmpty)) return null
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-2 overflow-hidden rounded-card border border-border-float bg-surface-overlay shadow-float">
      <p role="status" className="sr-only">
        {text('prompts.found', { count: found.length })}
      </p>
      {isEmpty ? (
        <p className="px-4 py-3 text-13 text-muted">
          {text.rich('prompts.none', {
            settings: (label) => (
              <Link to={promptsPath} className="text-accent-text underline underline-offset-2">
                {label}
              </Link>
            ),
          })}
        </p>
      ) : (
        <div role="listbox" id={id} aria-label={text('prompts.label')} className="max-h-72 overflow-y-auto p-1.5">
          {found.map((prompt, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and says which one is meant
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
            <div
              key={prompt.id}
              ref={index === activeIndex ? active : undefined}
              id={promptOptionId(prompt.id)}
              role="option"
              aria-selected={index === activeIndex}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(prompt)}
              className={classNames(
                'flex min-h-11 cursor-pointer items-center gap-3 rounded-control px-2.5 py-1.5 shade-on-hover',
                index === activeIndex && 'bg-row-selected',
              )}
            >
              <code className="max-w-1/3 shrink-0 truncate font-mono text-13 text-accent-text">/{prompt.command}</code>
              <span className="min-w-0 flex-1">
                <span className="block truncate text-14">{prompt.title}</span>
                <span className="block truncate text-12 text-muted">{prompt.text}</span>
              </span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
