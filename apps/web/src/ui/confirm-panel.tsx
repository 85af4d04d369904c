import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { useDialogFocus } from './dialog-focus.ts'
import { panelClass, scrimClass } from './dialog-panel.tsx'

/** The dialog of `useConfirm`, in a chunk loaded with the first question. Cancel has the focus. */
export function ConfirmPanel({
  open,
  onAnswer,
  question,
  detail,
  confirmLabel,
  cancelLabel,
  tone = 'primary',
}: ConfirmPanelProps) {
  const focus = useDialogFocus()
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onAnswer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={scrimClass} />
        <AlertDialog.Content
          className={panelClass('sm')}
          {...(detail ? {} : { 'aria-describedby': undefined })}
          {...focus}
        >
          <div className="px-5 pt-5 pb-1">
            <AlertDialog.Title className="text-16 leading-snug font-semibold text-pretty">{question}</AlertDialog.Title>
            {detail && <AlertDialog.Description className="mt-2 text-14 text-muted">{detail}</AlertDialog.Description>}
          </div>
          <div className="flex flex-col-reverse gap-2 p-5 pt-4 pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:flex-row sm:justify-end">
            <AlertDialog.Cancel asChild>
              <Button data-autofocus="">{cancelLabel}</Button>
            </AlertDialog.Cancel>
            <Button variant={tone} onClick={() => onAnswer(true)}>
              {confirmLabel}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

type ConfirmPanelProps = ConfirmQuestion & {
  open: boolean
  cancelLabel: string
  onAnswer: (isConfirmed: boolean) => void
}

/** Confirmation asked for before a risky action. */
export type ConfirmQuestion = {
  /** The question, shown as the title. */
  question: string
  /** Consequences of confirming, when the question doesn't say them. */
  detail?: ReactNode
  confirmLabel: string
  tone?: 'primary' | 'danger'
}
