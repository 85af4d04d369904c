import type { UserJson } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../../lib/api/client.ts'
import { LoadFailed } from '../../../../lib/components/load-failed.tsx'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { Button } from '../../../../ui/button.tsx'
import { useConfirm } from '../../../../ui/confirm-dialog.tsx'
import { showToast } from '../../../../ui/show-toast.ts'
import { Skeleton } from '../../../../ui/skeleton.tsx'
import { useConfirmed } from './confirm-password.tsx'

/** By what a user signs in, and the way back for who lost what makes their codes. */
export function UserSignInFacts({ user: { id, username, full_name } }: { user: UserJson }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { confirmed, dialog } = useConfirmed()
  const [isBusy, setIsBusy] = useState(false)
  const queryKey = ['user-sign-in', id]
  const facts = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /admin/users/:id/sign-in', { params: { id }, signal }),
  })
  const name = full_name || username

  const removePasskeys = async () => {
    const isWanted = await confirm({
      question: text('admin.passkeysOffQuestion', { name }),
      detail: text('admin.passkeysOffDetail'),
      confirmLabel: text('admin.passkeysOff'),
      tone: 'danger',
    })
    if (!isWanted) return
    setIsBusy(true)
    try {
      await confirmed(async (password) => {
        await call('DELETE /admin/users/:id/passkeys', { params: { id }, json: { current_password: password } })
        await queryClient.invalidateQueries({ queryKey })
        showToast({ tone: 'success', title: text('admin.passkeysOffDone', { name }) })
      })
    } catch (error) {
      console.error('The passkeys of a user could not be removed', error)
      showToast({ tone: 'danger', title: text('admin.passkeysOffFailed'), description: errorText(error) })
    }
    setIsBusy(false)
  }

  const turnOff = async () => {
    const isWanted = await confirm({
      question: text('admin.codesOffQuestion', { name }),
      detail: text('admin.codesOffDetail'),
      confirmLabel: text('admin.codesOff'),
      tone: 'danger',
    })
    if (!isWanted) return
    setIsBusy(true)
    try {
      await confirmed(async (password) => {
        await call('DELETE /admin/users/:id/totp', { params: { id }, json: { current_password: password } })
        await queryClient.invalidateQueries({ queryKey })
        showToast({ tone: 'success', title: text('admin.codesOffDone', { name }) })
      })
    } catch (error) {
      console.error('The codes of a user could not be turned off', error)
      showToast({ tone: 'danger', title: text('admin.codesOffFailed'), description: errorText(error) })
    }
    setIsBusy(false)
  }

  return (
    <section aria-label={text('admin.title')} className="rounded-control border border-border px-4 py-3">
      <h3 className="mb-1 text-13 font-medium">{text('admin.title')}</h3>
      {facts.isPending && <Skeleton className="h-12" />}
      {facts.isError && <LoadFailed query={facts} />}
      {facts.data && (
        <>
          <ul className="text-13 text-muted">
            {!facts.data.has_password && <li>{text('admin.noPassword')}</li>}
            <li>{text(facts.data.totp ? 'admin.codes' : 'admin.noCodes')}</li>
            <li>{text('admin.passkeys', { count: facts.data.passkeys })}</li>
            {facts.data.oidc && <li>{text('admin.oidc')}</li>}
          </ul>
          {facts.data.passkeys > 0 && (
            <Button size="sm" loading={isBusy} className="mt-2 mr-2" onClick={() => void removePasskeys()}>
              {text('admin.passkeysOff')}
            </Button>
          )}
          {facts.data.totp && (
            <Button size="sm" loading={isBusy} className="mt-2" onClick={() => void turnOff()}>
              {text('admin.codesOff')}
            </Button>
          )}
        </>
      )}
      {dialog}
    </section>
  )
}
