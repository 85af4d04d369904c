import { Lightbulb } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { Card } from '../../ui/card.tsx'

const tips = ['size', 'intensity', 'ai', 'batch'] as const

/** Tips for good results. */
export function Tips() {
  const text = useText('effects')
  return (
    <Card>
      <h2 className="flex items-center gap-2 text-14 font-semibold">
        <Lightbulb aria-hidden className="size-4.5 text-warning-text" />
        {text('tips.title')}
      </h2>
      <ul className="mt-3 grid gap-x-6 gap-y-2 text-13 text-muted sm:grid-cols-2">
        {tips.map((tip) => (
          <li key={tip} className="flex gap-2">
            <span aria-hidden className="mt-2 size-1 shrink-0 rounded-full bg-border-strong" />
            {text(`tips.${tip}`)}
          </li>
        ))}
      </ul>
    </Card>
  )
}
