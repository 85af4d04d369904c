import { endingsOf } from '@mira/shared/words/formats'
import { mediaTypes } from '@mira/shared/words/media'
import { Link } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { dashboardPath } from '../../lib/paths.ts'
import { Banner } from '../../ui/banner.tsx'
import type { Rejection, RejectionReason } from './judge-files.ts'
import { FILE_MIN_BYTES } from './limits.ts'

const MOST_SHOWN = 5

/** Which files were not added to the queue, and why. */
export function Rejections({ rejections, maxBytes, onDismiss }: RejectionsProps) {
  const text = useText('upload')
  const rest = rejections.slice(MOST_SHOWN)
  return (
    <Banner
      tone="warning"
      title={text('rejections.title', { count: rejections.length })}
      dismissLabel={text('rejections.dismiss')}
      onDismiss={onDismiss}
      className="mt-4"
    >
      <RejectionList rejections={rejections.slice(0, MOST_SHOWN)} maxBytes={maxBytes} />
      {rest.length > 0 && (
        <details className="mt-1">
          <summary className="font-medium">{text('rejections.more', { count: rest.length })}</summary>
          <div className="max-h-60 overflow-y-auto">
            <RejectionList rejections={rest} maxBytes={maxBytes} />
          </div>
        </details>
      )}
    </Banner>
  )
}

function RejectionList({ rejections, maxBytes }: Omit<RejectionsProps, 'onDismiss'>) {
  const text = useText('upload')
  const reasonText = (reason: RejectionReason) => {
    if (reason === 'archive') {
      return (
        <>
          {text('rejections.archive')}{' '}
          <Link to={dashboardPath('settings')} className="text-accent-text underline underline-offset-2">
            {text('rejections.archiveLink')}
          </Link>
        </>
      )
    }
    if (reason === 'type') return text('rejections.type', { types: endingsOf(...mediaTypes).join(', ') })
    // The figure stands as it is: "File is larger than 104857600 bytes".
    if (reason === 'too-large') return text('rejections.tooLarge', { bytes: String(maxBytes) })
    if (reason === 'too-small') return text('rejections.tooSmall', { bytes: String(FILE_MIN_BYTES) })
    return text('rejections.tooMany')
  }
  return (
    <ul className="flex flex-col gap-1">
      {rejections.map(({ name, reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <li key={index} className="min-w-0">
          <span className="font-medium break-all">{name}</span>
          <span className="block text-muted">{reasonText(reason)}</span>
        </li>
      ))}
    </ul>
  )
}

type RejectionsProps = {
  rejections: readonly Rejection[]
  /** How large a file may be. */
  maxBytes: number
  onDismiss: () => void
}
