import { classNames } from './class-names.ts'
import { CopyButton, type CopyButtonProps } from './copy-button.tsx'

/** A secret, key or address in full, to be selected or copied. */
export function CopyLine({ className, ...copy }: CopyLineProps) {
  return (
    <div
      className={classNames(
        'flex items-start gap-2 rounded-control border border-border bg-surface-sunken p-2 pl-3',
        className,
      )}
    >
      <code className="min-w-0 flex-1 py-1.5 font-mono text-13 break-all select-all">{copy.text}</code>
      <CopyButton {...copy} />
    </div>
  )
}

export type CopyLineProps = Pick<CopyButtonProps, 'text' | 'label' | 'copiedLabel'> & { className?: string }
