import type { TotpDraft } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck, ShieldOff } from 'lucide-react'
import { useState } from 'react'
import { beginTotp, fetchTotp, renewRecoveryCodes, turnTotpOff } from '../../../api/sign-in.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { LoadFailed } from '../../../lib/load-failed.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { CodesDialog } from './codes-dialog.tsx'
import { useConfirmed } from './confirm-password.tsx'

const totpKey = ['totp']
const FEW_CODES = 3

/** Content of the dialog: a secret to set up, or new recovery codes. */
export type CodesStep = { draft: TotpDraft } | { recoveryCodes: string[] }

/** Codes of an authenticator app: turn them on or off, make new recovery codes. */
export function CodesCard() {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { confirmed, dialog } = useConfirmed()
  const totp = useQuery({ queryKey: totpKey, queryFn: ({ signal }) => fetchTotp(signal) })
  const [step, setStep] = useState<{ is: CodesStep; opening: number } | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [busy, setBusy] = useState<'begin' | 'renew' | 'off' | null>(null)
  const [failure, setFailure] = useState<unknown>(null)

  const show = (is: CodesStep) => {
    setStep((before) => ({ is, opening: (before?.opening ?? 0) + 1 }))
    setIsOpen(true)
  }

  const go = async (what: NonNullable<typeof busy>, work: (password?: string) => Promise<void>) => {
    setBusy(what)
    setFailure(null)
    try {
      await confirmed(work)
    } catch (error) {
      console.error('The codes could not be changed', error)
      setFailure(error)
    }
    setBusy(null)
  }

  const renew = () =>
    go('renew', async (password) => {
      show({ recoveryCodes: (await renewRecoveryCodes(password)).recovery_codes })
      await queryClient.invalidateQueries({ queryKey: totpKey })
    })

  const turnOff = async () => {
    const isWanted = await confirm({
      question: text('codes.offQuestion'),
      detail: text('codes.offDetail'),
      confirmLabel: text('codes.off'),
      tone: 'danger',
    })
    if (!isWanted) return
    await go('off', async (password) => {
      await turnTotpOff(password)
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
      {totp.isError && <LoadFailed query={totp} />}
      {totp.data?.enabled === false && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="flex items-center gap-2 text-14">
            <ShieldOff aria-hidden className="size-4.5 text-muted" />
            {text('codes.isOff')}
          </p>
          <Button
            size="sm"
            loading={busy === 'begin'}
            onClick={() => void go('begin', async (password) => show({ draft: await beginTotp(password) }))}
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
          step={step.is}
          open={isOpen}
          onOpenChange={setIsOpen}
          onConfirmed={(recoveryCodes) => {
            setStep({ ...step, is: { recoveryCodes } })
            void queryClient.invalidateQueries({ queryKey: totpKey })
          }}
        />
      )}
      {dialog}
    </Card>
  )
}
