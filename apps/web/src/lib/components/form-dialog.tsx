import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyLine, type CopyLineProps } from '../../ui/copy-line.tsx'
import { Dialog, type DialogProps } from '../../ui/dialog.tsx'
import { useText } from '../i18n/i18n.ts'

/** Dialog that shows a secret once; the user copies it before closing the dialog. */
export function SecretDialog({ hint, secret, copyLabel, copiedLabel, doneLabel, ...dialog }: SecretDialogProps) {
  const text = useText('app')
  return (
    <Dialog
      {...dialog}
      closeLabel={text('common.close')}
      footer={
        <Button variant="primary" onClick={() => dialog.onOpenChange(false)}>
          {doneLabel}
        </Button>
      }
    >
      <Banner tone="warning">{hint}</Banner>
      <CopyLine className="mt-4" text={secret} label={copyLabel} copiedLabel={copiedLabel} />
    </Dialog>
  )
}

type SecretDialogProps = Pick<DialogProps, 'open' | 'onOpenChange' | 'title'> & {
  /** Reason to copy the secret now. */
  hint: string
  secret: string
  copyLabel: CopyLineProps['label']
  copiedLabel: CopyLineProps['copiedLabel']
  doneLabel: string
}

/** Dialog with a form, and buttons to cancel and submit at the bottom. */
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

type FormDialogProps = Omit<DialogProps, 'footer' | 'closeLabel' | 'onSubmit'> &
  Required<Pick<DialogProps, 'onSubmit'>> & {
    submitLabel: string
    isBusy?: boolean
    /** False while there is nothing to submit. */
    canSubmit?: boolean
  }
