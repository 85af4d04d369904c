import { useEffect, useEffectEvent, useRef } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { paths } from '../lib/paths.ts'
import { session } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { type UploadActivity, uploadActivityStore } from '../lib/upload-activity.ts'
import { showToast } from '../ui/show-toast.ts'
import { Spinner } from '../ui/spinner.tsx'

/** Says on every other screen that files are being sent, and when that is over; leads to the queue. */
export function UploadChip() {
  const text = useText('app')
  const activity = useStore(uploadActivityStore)
  const { pathname } = useLocation()
  useEndOfUploads(pathname)
  if (activity === null || pathname === paths.upload) return null
  const { number, count } = activity
  return (
    <Link
      to={paths.upload}
      aria-label={text('uploads.running', { number, count })}
      className="ml-auto inline-flex h-8 touch-target shrink-0 items-center gap-1.5 rounded-full bg-accent-soft px-3 text-13 font-medium text-accent-text tabular-nums shade-on-hover lg:ml-2"
    >
      <Spinner size="sm" />
      <span aria-hidden className="max-sm:hidden">
        {text('uploads.running', { number, count })}
      </span>
      <span aria-hidden className="sm:hidden">
        {number}/{count}
      </span>
    </Link>
  )
}

/** Tells a person who looks at another screen that everything was sent. */
function useEndOfUploads(pathname: string): void {
  const text = useText('app')
  const navigate = useNavigate()
  const last = useRef<UploadActivity | null>(null)
  const tell = useEffectEvent((ended: UploadActivity) => {
    // Who signs out stops them, and needs no word about it.
    if (pathname === paths.upload || session.state.get().status !== 'signed-in') return
    const { count, failed } = ended
    showToast({
      tone: failed > 0 ? 'warning' : 'success',
      title: failed > 0 ? text('uploads.failed', { count: failed }) : text('uploads.done', { count }),
      action: { label: text('uploads.show'), onSelect: () => void navigate(paths.upload) },
    })
  })
  useEffect(
    () =>
      uploadActivityStore.subscribe((activity) => {
        if (activity === null && last.current !== null) tell(last.current)
        last.current = activity
      }),
    [],
  )
}
