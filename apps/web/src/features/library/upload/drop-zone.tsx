import { offeredExtensionsOf } from '@mira/shared/constants/formats'
import { FolderUp, Upload } from 'lucide-react'
import { useRef } from 'react'
import { canDrop } from '../../../lib/browser/can-drop.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import type { FileLimits } from './check-files.ts'

const kinds = ['image', 'video', 'audio', 'document'] as const
const canChooseFolders = 'webkitdirectory' in HTMLInputElement.prototype

/** Drop area with buttons for files and folders; smaller once there's a queue below. */
export function DropZone({ isActive, isReading, isCompact, limits, onChoose, onChooseFolder }: DropZoneProps) {
  const text = useText('upload')
  const format = useFormat()
  return (
    <div
      className={classNames(
        'rounded-card border border-dashed px-4 transition-colors',
        isCompact ? 'py-4' : 'py-8 sm:py-10',
        isActive ? 'border-focus bg-accent-soft outline-2 outline-focus' : 'border-border-strong bg-surface-sunken',
      )}
    >
      <div
        className={classNames(
          'flex flex-col items-center text-center',
          isCompact && 'sm:flex-row sm:justify-between sm:gap-4 sm:text-left',
        )}
      >
        <div className={classNames('flex min-w-0 flex-col items-center', isCompact && 'sm:flex-row sm:gap-4')}>
          <span
            aria-hidden
            className={classNames(
              'grid size-12 shrink-0 place-items-center rounded-card border [&_svg]:size-5.5',
              isCompact ? 'max-sm:hidden' : 'mb-4',
              isActive
                ? 'border-transparent bg-accent text-on-accent'
                : 'border-border-float bg-surface-raised text-accent-text',
            )}
          >
            {isReading ? <Spinner size="md" /> : <Upload />}
          </span>
          <div className="min-w-0">
            <p className="text-16 font-semibold">
              {text(isActive ? 'drop.active' : canDrop ? 'drop.title' : 'drop.phoneTitle')}
            </p>
            <p className="mt-1 text-14 text-muted">
              {text(canDrop ? 'drop.hint' : 'drop.phoneHint', {
                size: format.bytes(Math.min(limits.stillMaxBytes, limits.maxBytes)),
                large: format.bytes(limits.maxBytes),
              })}
            </p>
          </div>
        </div>
        <div className={classNames('flex flex-wrap justify-center gap-2', isCompact ? 'mt-4 sm:mt-0' : 'mt-5')}>
          <Button variant={isCompact ? 'secondary' : 'primary'} icon={<Upload aria-hidden />} onClick={onChoose}>
            {text('drop.choose')}
          </Button>
          {canChooseFolders && <FolderButton onChoose={onChooseFolder} />}
        </div>
      </div>
      {!isCompact && (
        <dl className="mx-auto mt-6 grid w-fit max-w-full gap-x-6 gap-y-1 text-left text-12 text-muted sm:grid-cols-[auto_auto] lg:grid-cols-[auto_auto_auto_auto]">
          {kinds.map((kind) => (
            <div key={kind} className="flex min-w-0 gap-1.5">
              <dt className="shrink-0 font-medium text-text">{text(`kinds.${kind}`)}</dt>
              <dd className="min-w-0">{offeredExtensionsOf(kind).join(', ')}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

function FolderButton({ onChoose }: { onChoose: (files: File[]) => void }) {
  const text = useText('upload')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={(element) => {
          input.current = element
          if (element) element.webkitdirectory = true
        }}
        type="file"
        multiple
        hidden
        aria-label={text('drop.chooseFolder')}
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])])
          // Lets the same folder be chosen again.
          target.value = ''
        }}
      />
      <Button icon={<FolderUp aria-hidden />} onClick={() => input.current?.click()}>
        {text('drop.chooseFolder')}
      </Button>
    </>
  )
}

type DropZoneProps = {
  /** True while files are dragged over the page. */
  isActive: boolean
  /** True while a dropped folder is being read. */
  isReading: boolean
  isCompact: boolean
  limits: FileLimits
  onChoose: () => void
  onChooseFolder: (files: File[]) => void
}
