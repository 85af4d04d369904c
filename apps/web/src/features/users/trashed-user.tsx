import type { UserJson } from '@mira/shared'
import { RotateCcw, Trash2 } from 'lucide-react'
import { daysLeft } from '../../lib/days-left.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { TimeText } from '../../ui/time-text.tsx'
import { useConfirmed } from './sign-in/confirm-password.tsx'
import { useDeleteUser, useRestoreUser } from './use-users.ts'

/** An account in the trash: how long it is there, and ways to have it back or to be rid of it. */
export function TrashedUser({ user, onGone }: TrashedUserProps) {
  const text = useText('users')
  const format = useFormat()
  const errorText = useErrorText()
  const confirm = useConfirm()
  const restore = useRestoreUser(user)
  const remove = useDeleteUser(user)
  const { confirmed, dialog } = useConfirmed()
  const name = user.full_name || user.username
  const isBusy = restore.isPending || remove.isPending
  const until = user.trash?.until ?? user.updated_at
  const fail = (error: unknown, title: string) => {
    console.error(title, error)
    showToast({ tone: 'danger', title, description: errorText(error) })
  }

  const bringBack = async () => {
    try {
      await restore.mutateAsync()
      showToast({ tone: 'success', title: text('manage.restored', { name }) })
      onGone()
    } catch (error) {
      fail(error, text('manage.restoreFailed', { name }))
    }
  }
  const deleteNow = async () => {
    const isSure = await confirm({
      question: text('manage.deleteQuestion'),
      detail: text('manage.deleteNowDetail', { name }),
      confirmLabel: text('manage.deleteNow'),
      tone: 'danger',
    })
    if (!isSure) return
    try {
      await confirmed(async (password) => {
        await remove.mutateAsync({ password, now: true })
        showToast({ tone: 'success', title: text('manage.deletedNow', { name }) })
        onGone()
      })
    } catch (error) {
      fail(error, text('manage.deleteFailed', { name }))
    }
  }

  return (
    <Card className="flex w-full items-center gap-3">
      <Avatar name={name} />
      <div className="min-w-0 flex-1">
        <h2 className="truncate text-14 leading-5 font-semibold" title={user.username}>
          {name}
        </h2>
        <p className="truncate text-13 text-muted" title={user.email}>
          {user.email}
        </p>
        <p className="text-13 text-muted">
          <TimeText
            text={text('manage.daysLeft', { days: daysLeft(until) })}
            absolute={format.dateTime(until)}
            dateTime={until}
          />
        </p>
      </div>
      <Button
        size="sm"
        icon={<RotateCcw aria-hidden />}
        aria-label={text('manage.restoreNamed', { name })}
        disabled={isBusy}
        onClick={() => void bringBack()}
      >
        <span className="max-sm:sr-only">{text('manage.restore')}</span>
      </Button>
      <IconButton
        name={text('manage.deleteNowNamed', { name })}
        icon={<Trash2 aria-hidden />}
        size="sm"
        variant="danger"
        disabled={isBusy}
        onClick={() => void deleteNow()}
      />
      {dialog}
    </Card>
  )
}

type TrashedUserProps = {
  user: UserJson
  /** The card is gone by then: the focus needs another place. */
  onGone: () => void
}
