import { EyeOff } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n.ts'
import { adminPath } from '../../../lib/paths.ts'
import { useUser } from '../../../lib/session.ts'
import { useCapabilities } from '../use-capabilities.ts'

/** Says before pictures are sent that nothing can look at them now, and what can be done about it. */
export function VisionNote() {
  const text = useText('chat')
  const { role } = useUser()
  const canSee = useCapabilities('vision')?.vision !== false
  return (
    <div role="status" className="w-full empty:hidden">
      {!canSee && (
        <p className="flex items-start gap-2 rounded-t-[0.6875rem] border-b border-border bg-warning-soft px-4 py-2 text-13">
          <EyeOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warning-text" />
          <span>
            <span className="font-medium text-warning-text">{text('pictures.unseen')}</span>{' '}
            {text(role === 'admin' ? 'pictures.unseenAdmin' : 'pictures.unseenOthers')}{' '}
            {role === 'admin' && (
              <Link to={adminPath('settings')} className="text-accent-text underline underline-offset-2">
                {text('pictures.setUp')}
              </Link>
            )}
          </span>
        </p>
      )}
    </div>
  )
}
