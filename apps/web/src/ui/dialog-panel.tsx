import { X } from 'lucide-react'
import { Dialog as RadixDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useDialogFocus } from './dialog-focus.ts'
import { IconButton } from './icon-button.tsx'
import { leaveEscapeToControl } from './takes-escape.ts'

const widths = {
  sm: 'sm:max-w-sm',
  md: 'sm:max-w-lg',
  lg: 'sm:max-w-2xl',
  full: 'sm:max-w-[min(calc(100vw-3rem),90rem)]',
}

/** Classes of the overlay behind a dialog. */
export const scrimClass =
  'fixed inset-0 z-40 bg-scrim data-[state=closed]:animate-fade-out data-[state=open]:animate-fade-in'

/** The classes of a dialog's box: a sheet at the bottom of a phone, a window in the middle elsewhere. */
export function panelClass(size: keyof typeof widths): string {
  return classNames(
    'fixed inset-x-0 bottom-0 z-50 flex max-h-[calc(100dvh-2rem)] w-full flex-col rounded-t-card border border-border-float bg-surface-overlay shadow-float outline-none',
    'data-[state=closed]:animate-sheet-out data-[state=open]:animate-sheet-in',
    'sm:inset-0 sm:m-auto sm:h-fit sm:rounded-card sm:data-[state=closed]:animate-float-out sm:data-[state=open]:animate-float-in',
    widths[size],
  )
}

/** Content of `Dialog`, in a chunk loaded on first use. */
export function DialogPanel({
  open,
  onOpenChange,
  title,
  description,
  closeLabel,
  size = 'md',
  footer,
  onSubmit,
  children,
}: DialogProps) {
  const focus = useDialogFocus()
  const Body = onSubmit ? 'form' : 'div'
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    // a portal's events also bubble to the form that opened it
    event.stopPropagation()
    onSubmit?.(event.currentTarget as HTMLFormElement)
  }
  return (
    <RadixDialog.Root open={open} onOpenChange={onOpenChange}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={scrimClass} />
        <RadixDialog.Content
          className={panelClass(size)}
          onEscapeKeyDown={leaveEscapeToControl}
          {...(description ? {} : { 'aria-describedby': undefined })}
          {...focus}
        >
          <div className="flex items-start justify-between gap-4 px-5 pt-5">
            <div className="min-w-0">
              <RadixDialog.Title className="text-16 font-semibold">{title}</RadixDialog.Title>
              {description && (
                <RadixDialog.Description className="mt-1.5 text-14 text-muted">{description}</RadixDialog.Description>
              )}
            </div>
            <RadixDialog.Close asChild>
              <IconButton name={closeLabel} icon={<X aria-hidden />} size="sm" className="-mt-1.5 -mr-1.5" />
            </RadixDialog.Close>
          </div>
          <Body noValidate={onSubmit ? true : undefined} onSubmit={submit} className="flex min-h-0 flex-col">
            {children && <div className="min-h-0 overflow-y-auto px-5 pt-4 pb-5">{children}</div>}
            {footer && (
              <div className="flex shrink-0 flex-col-reverse gap-2 border-t border-border px-5 py-4 pb-[max(1rem,env(safe-area-inset-bottom))] sm:flex-row sm:justify-end">
                {footer}
              </div>
            )}
          </Body>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

export type DialogProps = {
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  title: string
  description?: ReactNode
  closeLabel: string
  /** `full` fills the window, for pictures. */
  size?: 'sm' | 'md' | 'lg' | 'full'
  /** The buttons at the bottom, the main one last. */
  footer?: ReactNode
  /** Turns the dialog into a form, submitted by the buttons in `footer`. */
  onSubmit?: (form: HTMLFormElement) => void
  children?: ReactNode
}
