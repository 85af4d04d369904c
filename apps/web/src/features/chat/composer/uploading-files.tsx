import { X } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import type { UploadingFile } from './use-file-uploads.ts'

/** The files that are on their way into the memory, how far each is, and a button that does not wait for it. */
export function UploadingFiles({ uploads, isSentThen, onLeave }: UploadingFilesProps) {
  const text = useText('chat')
  return (
    <section aria-label={text('files.label')} className="w-full border-b border-border px-3 pt-3 pb-2 text-13">
      <ul className="flex flex-col gap-1">
        {uploads.map(({ key, name, progress }) => (
          <li key={key} className="flex min-w-0 items-center gap-2">
            <Spinner size="sm" />
            <span className="truncate">{name}</span>
            <span role="status" className="shrink-0 text-muted tabular-nums">
              {progress < 100 ? text('files.sending', { progress }) : text('files.reading')}
            </span>
            <button
              type="button"
              aria-label={text('files.leave', { name })}
              onClick={() => onLeave(key)}
              className="relative ml-auto grid size-6 shrink-0 touch-area place-items-center rounded-full transition-colors shade-on-hover"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="mt-1 text-12 text-muted">
        {text(isSentThen ? 'files.sentThen' : 'files.waits')}
      </p>
    </section>
  )
}

type UploadingFilesProps = {
  uploads: readonly UploadingFile[]
  /** Send the message automatically once they've been read. */
  isSentThen: boolean
  onLeave: (key: string) => void
}
