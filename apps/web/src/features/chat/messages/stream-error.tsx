import type { ChatErrorCode } from '@mira/shared'
import { CircleAlert, RotateCw } from 'lucide-react'
import { useLanguage, useText } from '../../../lib/i18n.ts'
import { SettingsLink } from '../../../lib/settings-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'

/** What somebody mends where the model servers are connected. */
const ofConnections: ReadonlySet<ChatErrorCode> = new Set([
  'model_unreachable',
  'model_key_refused',
  'model_not_found',
  'vision_unavailable',
])

/** What went wrong with an answer; administrators are led to where it is mended. */
export function StreamError({ error, code, isSpaced, onAskAgain }: StreamErrorProps) {
  const text = useText('chat')
  const language = useLanguage()
  // In English the server's own sentence is the most exact one.
  const reason = language !== 'en' && code && text.has(`problems.${code}`) ? text(`problems.${code}`) : error
  return (
    <div className={classNames('flex flex-wrap items-center justify-between gap-x-4 gap-y-2', isSpaced && 'mt-3')}>
      <p className="flex min-w-0 items-start gap-2 text-danger-text">
        <CircleAlert aria-hidden className="mt-1 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          {text('messages.error', { text: reason })}
          {code && ofConnections.has(code) && <SettingsLink />}
        </span>
      </p>
      {onAskAgain && (
        <Button size="sm" icon={<RotateCw aria-hidden />} onClick={onAskAgain}>
          {text('messages.askAgain')}
        </Button>
      )}
    </div>
  )
}

type StreamErrorProps = {
  error: string
  code: ChatErrorCode | null
  isSpaced: boolean
  onAskAgain?: (() => void) | undefined
}
