import { endingsOf } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'
import { Link } from 'react-router-dom'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { dashboardPath } from '../../lib/paths.ts'
import { Banner } from '../../ui/banner.tsx'
import type { Rejection, RejectionReason } from './judge-files.ts'
import { FILE_MIN_BYTES } from './limits.ts'
import type { FileLimits } from './use-file-limits.ts'

const MOST_SHOWN = 5

/** Rejected files with the reasons. */
export function Rejections({ rejections, limits, onDismiss }: RejectionsProps) {
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
      <RejectionList rejections={rejections.slice(0, MOST_SHOWN)} limits={limits} />
      {rest.length > 0 && (
        <details className="mt-1">
          <summary className="font-medium">{text('rejections.more', { count: rest.length })}</summary>
          <div className="max-h-60 overflow-y-auto">
            <RejectionList rejections={rest} limits={limits} />
          </div>
        </details>
      )}
    </Banner>
  )
}

function RejectionList({ rejections, limits }: Omit<RejectionsProps, 'onDismiss'>) {
  const text = useText('upload')
  const format = useFormat()
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
    // The figure stands as it is: "File is larger than 10737418240 bytes".
    if (reason === 'too-large') return text('rejections.tooLarge', { bytes: String(limits.maxBytes) })
    if (reason === 'still-too-large')
      return text('rejections.stillTooLarge', { size: format.bytes(limits.stillMaxBytes) })
    if (reason === 'too-small') return text('rejections.tooSmall', { count: FILE_MIN_BYTES })
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
  limits: FileLimits
  onDismiss: () => void
}
