import { Lightbulb } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'

const tips = ['own', 'type', 'before', 'exact', 'tag'] as const

/** Search tips with examples that fill the search box. */
export function SearchTips({ onChoose }: { onChoose: (query: string) => void }) {
  const text = useText('memory')
  return (
    <Card>
      <CardHeader
        title={
          <span className="inline-flex items-center gap-2">
            <Lightbulb aria-hidden className="size-4.5 text-muted" />
            {text('tips.title')}
          </span>
        }
      />
      <ul className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        {tips.map((tip) => {
          const query = text(`tips.examples.${tip}`)
          return (
            <li key={tip} className="flex min-w-0 flex-col items-start gap-1.5">
              <span className="text-14">{text(`tips.${tip}`)}</span>
              <button
                type="button"
                aria-label={text('tips.tryOut', { query })}
                onClick={() => onChoose(query)}
                className="max-w-full touch-target rounded-control border border-border-float bg-surface-sunken px-2.5 py-1 text-left font-mono text-13 break-words text-accent-text shade-on-hover"
              >
                {query}
              </button>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
