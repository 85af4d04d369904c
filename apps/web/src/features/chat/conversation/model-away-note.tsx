import { CloudOff } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import type { ModelAway } from './use-model-away.ts'

/** One line over the composer while the language model is away: what happens with questions until then. */
export function ModelAwayNote({ isAway, isAskedAgain }: ModelAway) {
  const text = useText('chat')
  return (
    <div role="status" className="empty:hidden">
      {isAway && (
        <p className="flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-13">
          <CloudOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
          {text(isAskedAgain ? 'away.askedAgain' : 'away.quoted')}
        </p>
      )}
    </div>
  )
}
