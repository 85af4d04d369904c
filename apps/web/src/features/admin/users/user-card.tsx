import type { UserJson } from '@mira/shared'
import { ACCOUNT_TRASH_DAYS } from '@mira/shared/constants/limits'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleSlash, Pencil, ShieldCheck, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Badge, badgeClass } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { permissions } from './permission-fields.tsx'
import { useRecentSignIn } from './sign-in/confirm-password.tsx'
import { useDeleteUser, useOptimisticUser, useRestoreUser, useUpdateUser } from './use-users.ts'

/** A user's sign-in methods, and a reset for lost authenticator apps. */
export function UserSignInMethods({ user: { id, username, full_name } }: { user: UserJson }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { runConfirmed, dialog } = useRecentSignIn()
  const [isBusy, setIsBusy] = useState(false)
  const queryKey = ['user-sign-in', id]
  const signInQuery = useQuery({
    queryKey,
    queryFn: ({ signal }) => call('GET /admin/users/:id/sign-in', { params: { id }, signal }),
  })
  const name = full_name || username

  const removePasskeys = async () => {
    const isConfirmed = await confirm({
      question: text('admin.passkeysOffQuestion', { name }),
      detail: text('admin.passkeysOffDetail'),
      confirmLabel: text('admin.passkeysOff'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    setIsBusy(true)
    try {
      await runConfirmed(async (password) => {
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

  const turnOffCodes = async () => {
    const isConfirmed = await confirm({
      question: text('admin.codesOffQuestion', { name }),
      detail: text('admin.codesOffDetail'),
      confirmLabel: text('admin.codesOff'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    setIsBusy(true)
    try {
      await runConfirmed(async (password) => {
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
      {signInQuery.isPending && <Skeleton className="h-12" />}
      {signInQuery.isLoadingError && <LoadFailed query={signInQuery} />}
      {signInQuery.data && (
        <>
          <ul className="text-13 text-muted">
            {!signInQuery.data.has_password && <li>{text('admin.noPassword')}</li>}
            <li>{text(signInQuery.data.totp ? 'admin.codes' : 'admin.noCodes')}</li>
            <li>{text('admin.passkeys', { count: signInQuery.data.passkeys })}</li>
            {signInQuery.data.oidc && <li>{text('admin.oidc')}</li>}
          </ul>
          {signInQuery.data.passkeys > 0 && (
            <Button size="sm" loading={isBusy} className="mt-2 mr-2" onClick={() => void removePasskeys()}>
              {text('admin.passkeysOff')}
            </Button>
          )}
          {signInQuery.data.totp && (
            <Button size="sm" loading={isBusy} className="mt-2" onClick={() => void turnOffCodes()}>
              {text('admin.codesOff')}
            </Button>
          )}
        </>
      )}
      {dialog}
    </section>
  )
}

/** An account with its permissions and last use. Changes are optimistic and reverted on failure. */
export function UserCard({ user: stored, onEdit, onDeleted }: UserCardProps) {
  const text = useText('users')
  const appText = useText('app')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const headingId = useId()
  const me = useUser()
  const user = useOptimisticUser(stored)
  const name = user.full_name || user.username
  const showError = (error: unknown, title: string) => {
    console.error(title, error)
    showToast({ tone: 'danger', title, description: errorText(error) })
  }
  const { mutate: change } = useUpdateUser(stored, (error) => showError(error, text('manage.updateFailed', { name })))
  const remove = useDeleteUser(stored)
  const restore = useRestoreUser(stored)
  const { runConfirmed, dialog } = useRecentSignIn()
  const isMe = user.id === me.id

  const toggleActive = async () => {
    const isDeactivatingSelf = isMe && user.is_active
    const isConfirmed =
      !isDeactivatingSelf ||
      (await confirm({
        question: text('manage.deactivateSelf'),
        detail: text('manage.deactivateSelfDetail'),
        confirmLabel: text('manage.deactivate'),
        tone: 'danger',
      }))
    if (isConfirmed) change({ is_active: !user.is_active })
  }

  const confirmDeletion = async () => {
    const isConfirmed = await confirm({
      question: text('manage.deleteQuestion'),
      detail: text('manage.deleteDetail', { name, days: ACCOUNT_TRASH_DAYS }),
      confirmLabel: text('manage.deleteConfirm'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    try {
      await runConfirmed(async (password) => {
        await remove.mutateAsync({ password, now: false })
        const undo = () =>
          restore.mutateAsync().catch((error) => showError(error, text('manage.restoreFailed', { name })))
        showToast({
          title: text('manage.deleted', { name }),
          action: { label: text('manage.undo'), onSelect: () => void undo() },
        })
        onDeleted()
      })
    } catch (error) {
      showError(error, text('manage.deleteFailed', { name }))
    }
  }

  return (
    <Card
      role="group"
      aria-labelledby={headingId}
      aria-busy={remove.isPending || undefined}
      className={classNames('flex w-full flex-col', remove.isPending && 'opacity-55')}
    >
      <div className="flex items-start gap-3">
        <Avatar name={name} />
        <div className="min-w-0 flex-1">
          <h2 id={headingId} className="truncate text-14 leading-5 font-semibold" title={user.username}>
            {name}
          </h2>
          <p className="truncate text-13 text-muted" title={user.email}>
            {user.email}
          </p>
        </div>
        <div className="-mt-1 -mr-1.5 flex shrink-0">
          <IconButton
            name={text('manage.edit', { name })}
            icon={<Pencil aria-hidden />}
            size="sm"
            disabled={remove.isPending}
            onClick={onEdit}
          />
          {!isMe && (
            <IconButton
              name={text('manage.deleteUser', { name })}
              icon={<Trash2 aria-hidden />}
              size="sm"
              variant="danger"
              loading={remove.isPending}
              onClick={() => void confirmDeletion()}
            />
          )}
        </div>
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Badge
          tone={user.role === 'admin' ? 'accent' : 'neutral'}
          icon={user.role === 'admin' ? <ShieldCheck aria-hidden /> : undefined}
        >
          {appText(`roles.${user.role}`)}
        </Badge>
        <button
          type="button"
          aria-pressed={user.is_active}
          title={text(user.is_active ? 'manage.toInactive' : 'manage.toActive')}
          disabled={remove.isPending}
          onClick={() => void toggleActive()}
          className={badgeClass(user.is_active ? 'success' : 'danger', 'relative touch-area hover:underline')}
        >
          {user.is_active ? <CircleCheck aria-hidden /> : <CircleSlash aria-hidden />}
          {text(user.is_active ? 'manage.active' : 'manage.inactive')}
        </button>
        {isMe && <Badge>{text('manage.you')}</Badge>}
      </div>
      <fieldset
        disabled={remove.isPending}
        className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 border-t border-border pt-4"
      >
        <legend className="sr-only">{text('permissions.label')}</legend>
        {permissions.map((permission) => (
          <Switch
            key={permission}
            label={text(`permissions.short.${permission}`)}
            checked={user[permission]}
            onCheckedChange={(isOn) => change({ [permission]: isOn })}
          />
        ))}
      </fieldset>
      <UserDates user={user} />
      {dialog}
    </Card>
  )
}

function UserDates({ user }: { user: UserJson }) {
  const text = useText('users')
  const format = useFormat()
  return (
    <dl className="mt-auto flex flex-wrap gap-x-6 gap-y-1 pt-4 text-12 text-muted">
      <div className="flex gap-1.5">
        <dt>{text('manage.created')}</dt>
        <dd>
          <TimeText
            text={format.date(user.created_at)}
            absolute={format.dateTime(user.created_at)}
            dateTime={user.created_at}
          />
        </dd>
      </div>
      <div className="flex gap-1.5">
        <dt>{text('manage.lastActive')}</dt>
        <dd>{user.last_active_at ? <RelativeTime moment={user.last_active_at} /> : text('manage.never')}</dd>
      </div>
    </dl>
  )
}

type UserCardProps = {
  user: UserJson
  onEdit: () => void
  /** Called once the card is gone, to move the focus. */
  onDeleted: () => void
}
