import { HatGlasses } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'

/** Says plainly what becomes of a temporary conversation: nothing. */
export function TemporaryNote() {
  const text = useText('chat')
  return (
    <p className="flex shrink-0 items-start gap-2 border-b border-border bg-accent-soft px-4 py-2 text-13">
      <HatGlasses aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        <span className="font-medium">{text('temporary.title')}</span> {text('temporary.text')}
      </span>
    </p>
  )
}
