import { Button } from '../../ui/button.tsx'
import { Dialog, type DialogProps } from '../../ui/dialog.tsx'
import { useText } from '../i18n/i18n.ts'

/** A dialog that is a form: what it does stands at the bottom, beside the way out of it. */
export function FormDialog({ submitLabel, isBusy = false, canSubmit = true, ...dialog }: FormDialogProps) {
  const text = useText('app')
  return (
    <Dialog
      {...dialog}
      closeLabel={text('common.close')}
      footer={
        <>
          <Button onClick={() => dialog.onOpenChange(false)}>{text('common.cancel')}</Button>
          <Button type="submit" variant="primary" loading={isBusy} disabled={!canSubmit}>
            {submitLabel}
          </Button>
        </>
      }
    />
  )
}

export type FormDialogProps = Omit<DialogProps, 'footer' | 'closeLabel' | 'onSubmit'> &
  Required<Pick<DialogProps, 'onSubmit'>> & {
    submitLabel: string
    isBusy?: boolean
    /** False while there is nothing to submit. */
    canSubmit?: boolean
  }
