import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { confirmTotp } from '../../../api/sign-in.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { FormDialog } from '../../../lib/form-dialog.tsx'
import { useText } from '../../../lib/i18n.ts'
import { assistantName } from '../../../lib/page-meta.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useUser } from '../../../lib/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { CopyLine } from '../../../ui/copy-line.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import type { CodesStep } from './codes-card.tsx'

const QrCode = lazy(() => import('./qr-code.tsx').then((module) => ({ default: module.QrCode })))

/** Sets an authenticator app up, then shows the recovery codes, this once. */
export function CodesDialog({ step, ...rest }: CodesDialogProps) {
  return 'draft' in step ? (
    <SetUp draft={step.draft} {...rest} />
  ) : (
    <RecoveryCodes codes={step.recoveryCodes} {...rest} />
  )
}

function SetUp({ draft, open, onOpenChange, onConfirmed }: Omit<CodesDialogProps, 'step'> & { draft: Draft }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => confirmTotp(code),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
    onError: (error) => console.error('The code was not taken', error),
  })

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={text('codes.setUpTitle')}
      description={text('codes.setUpText')}
      onSubmit={() => confirm.mutate()}
      submitLabel={text('codes.turnOn')}
      isBusy={confirm.isPending}
      canSubmit={/^\d{6}$/.test(code.replace(/\s/g, ''))}
    >
      <div className="flex flex-col gap-4">
        <Suspense fallback={<Skeleton className="mx-auto size-48" />}>
          <QrCode text={draft.uri} label={text('codes.qr')} className="mx-auto size-48" />
        </Suspense>
        <div>
          <p className="text-13 text-muted">{text('codes.byHand')}</p>
          <CopyLine
            className="mt-1"
            text={draft.secret}
            label={text('codes.copyKey')}
            copiedLabel={text('codes.copied')}
          />
        </div>
        <TextField
          label={text('code.label')}
          hint={text('codes.firstCode')}
          name="code"
          data-autofocus=""
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={12}
          value={code}
          error={confirm.error ? errorText(confirm.error) : undefined}
          onChange={(event) => {
            setCode(event.target.value)
            confirm.reset()
          }}
        />
      </div>
    </FormDialog>
  )
}

function RecoveryCodes({
  codes,
  open,
  onOpenChange,
}: Pick<CodesDialogProps, 'open' | 'onOpenChange'> & { codes: string[] }) {
  const text = useText('sign-in')
  const appText = useText('app')
  const { username } = useUser()
  const list = codes.join('\n')
  const save = () => {
    const content = `${text('codes.fileTitle', { assistant: assistantName(), name: username })}\n\n${list}\n`
    saveFile({ blob: new Blob([content], { type: 'text/plain' }), name: `${username}-recovery-codes.txt` })
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={text('codes.recoveryTitle')}
      closeLabel={appText('common.close')}
      footer={
        <Button variant="primary" onClick={() => onOpenChange(false)}>
          {text('codes.done')}
        </Button>
      }
    >
      <Banner tone="warning">{text('codes.recoveryText')}</Banner>
      <ul
        aria-label={text('codes.recoveryTitle')}
        className="mt-4 grid grid-cols-2 gap-x-4 gap-y-1.5 rounded-control border border-border bg-surface-sunken p-3 text-center font-mono text-14"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" icon={<Download aria-hidden />} onClick={save}>
          {text('codes.download')}
        </Button>
        <CopyButton withText text={list} label={text('codes.copyAll')} copiedLabel={text('codes.copied')} />
      </div>
    </Dialog>
  )
}

type Draft = { secret: string; uri: string }
export type CodesDialogProps = {
  step: CodesStep
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  onConfirmed: (recoveryCodes: string[]) => void
}
