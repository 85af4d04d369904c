import { Lightbulb } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'

/** The model's reasoning before the answer, collapsed. */
export function Reasoning({ thoughts, isThinking }: { thoughts: string; isThinking: boolean }) {
  const text = useText('chat')
  return (
    <details className="mb-2 text-13 last:mb-0">
      <summary className="flex w-fit cursor-pointer items-center gap-1.5 rounded-control py-0.5 text-muted transition-colors hover:text-text pointer-coarse:py-3">
        <Lightbulb aria-hidden className={isThinking ? 'size-4 animate-pulse text-ai-text' : 'size-4'} />
        {text(isThinking ? 'reasoning.thinking' : 'reasoning.thought')}
      </summary>
      <section
        aria-label={text('reasoning.label')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="mt-1 max-h-80 overflow-y-auto border-l-2 border-border pl-3 leading-relaxed break-words whitespace-pre-wrap text-muted"
      >
        {thoughts}
      </section>
    </details>
  )
}
