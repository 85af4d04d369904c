import type { TotpDraft } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, ShieldCheck, ShieldOff } from 'lucide-react'
import { lazy, useState } from 'react'
import { call } from '../../../../lib/api/client.ts'
import { assistantName } from '../../../../lib/browser/page-meta.ts'
import { saveFile } from '../../../../lib/browser/save-file.ts'
import { FormDialog } from '../../../../lib/components/form-dialog.tsx'
import { LoadFailed } from '../../../../lib/components/query-list.tsx'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { useUser } from '../../../../lib/session/session.ts'
import { Badge } from '../../../../ui/badge.tsx'
import { Banner } from '../../../../ui/banner.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Card, CardHeader } from '../../../../ui/card.tsx'
import { useConfirm } from '../../../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../../../ui/copy-button.tsx'
import { CopyLine } from '../../../../ui/copy-line.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { PartBoundary } from '../../../../ui/lazy-part.tsx'
import { showToast } from '../../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../../ui/skeleton.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { useRecentSignIn } from './confirm-password.tsx'

const QrCode = lazy(() => import('./qr-code.tsx').then((module) => ({ default: module.QrCode })))

/** Sets up an authenticator app, then shows the recovery codes once. */
function CodesDialog({ step, ...rest }: CodesDialogProps) {
  return 'draft' in step ? (
    <CodesSetup draft={step.draft} {...rest} />
  ) : (
    <RecoveryCodes codes={step.recoveryCodes} {...rest} />
  )
}

function CodesSetup({ draft, open, onOpenChange, onConfirmed }: Omit<CodesDialogProps, 'step'> & { draft: Draft }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => call('POST /auth/totp/confirm', { json: { code } }),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
    onError: (error) => console.error('The code was rejected', error),
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
        <PartBoundary fallback={<Skeleton className="mx-auto size-48" />}>
          <QrCode text={draft.uri} label={text('codes.qr')} className="mx-auto size-48" />
        </PartBoundary>
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
type CodesDialogProps = {
  step: CodesStep
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  onConfirmed: (recoveryCodes: string[]) => void
}

const totpKey = ['totp']
const FEW_CODES = 3

/** Content of the dialog: a secret to set up, or new recovery codes. */
type CodesStep = { draft: TotpDraft } | { recoveryCodes: string[] }

/** Codes of an authenticator app: turn them on or off, make new recovery codes. */
export function CodesCard() {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { runConfirmed, dialog } = useRecentSignIn()
  const totp = useQuery({ queryKey: totpKey, queryFn: ({ signal }) => call('GET /auth/totp', { signal }) })
  const [step, setStep] = useState<{ value: CodesStep; opening: number } | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [busy, setBusy] = useState<'begin' | 'renew' | 'off' | null>(null)
  const [failure, setFailure] = useState<unknown>(null)

  const show = (value: CodesStep) => {
    setStep((before) => ({ value, opening: (before?.opening ?? 0) + 1 }))
    setIsOpen(true)
  }

  const runAction = async (action: NonNullable<typeof busy>, work: (password?: string) => Promise<void>) => {
    setBusy(action)
    setFailure(null)
    try {
      await runConfirmed(work)
    } catch (error) {
      console.error('The codes could not be changed', error)
      setFailure(error)
    }
    setBusy(null)
  }

  const renew = () =>
    runAction('renew', async (password) => {
      show({
        recoveryCodes: (await call('POST /auth/totp/recovery-codes', { json: { current_password: password } }))
          .recovery_codes,
      })
      await queryClient.invalidateQueries({ queryKey: totpKey })
    })

  const turnOff = async () => {
    const isConfirmed = await confirm({
      question: text('codes.offQuestion'),
      detail: text('codes.offDetail'),
      confirmLabel: text('codes.off'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    await runAction('off', async (password) => {
      await call('DELETE /auth/totp', { json: { current_password: password } })
      await queryClient.invalidateQueries({ queryKey: totpKey })
      showToast({ tone: 'success', title: text('codes.turnedOff') })
    })
  }

  return (
    <Card>
      <CardHeader title={text('codes.title')} description={text('codes.subtitle')} />
      {failure !== null && (
        <Banner tone="error" className="mb-4">
          {errorText(failure)}
        </Banner>
      )}
      {totp.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-12" />
        </LoadingRegion>
      )}
      {totp.isLoadingError && <LoadFailed query={totp} />}
      {totp.data?.enabled === false && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="flex items-center gap-2 text-14">
            <ShieldOff aria-hidden className="size-4.5 text-muted" />
            {text('codes.isOff')}
          </p>
          <Button
            size="sm"
            loading={busy === 'begin'}
            onClick={() =>
              void runAction('begin', async (password) =>
                show({ draft: await call('POST /auth/totp', { json: { current_password: password } }) }),
              )
            }
          >
            {text('codes.setUp')}
          </Button>
        </div>
      )}
      {totp.data?.enabled && (
        <div className="flex flex-col gap-3">
          <p className="flex flex-wrap items-center gap-2 text-14">
            <ShieldCheck aria-hidden className="size-4.5 text-success-text" />
            {text('codes.isOn')}
            <Badge tone={totp.data.recovery_codes_left < FEW_CODES ? 'warning' : undefined}>
              {text('codes.left', { count: totp.data.recovery_codes_left })}
            </Badge>
          </p>
          <div className="flex flex-wrap gap-2">
            <Button size="sm" loading={busy === 'renew'} onClick={() => void renew()}>
              {text('codes.renew')}
            </Button>
            <Button size="sm" loading={busy === 'off'} onClick={() => void turnOff()}>
              {text('codes.off')}
            </Button>
          </div>
        </div>
      )}
      {step && (
        <CodesDialog
          key={step.opening}
          step={step.value}
          open={isOpen}
          onOpenChange={setIsOpen}
          onConfirmed={(recoveryCodes) => {
            // The codes are shown only once, so the dialog opens again if it was closed in the meantime.
            show({ recoveryCodes })
            void queryClient.invalidateQueries({ queryKey: totpKey })
          }}
        />
      )}
      {dialog}
    </Card>
  )
}
