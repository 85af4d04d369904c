import type { UserJson } from '@mira/shared'
import { USER_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { Mail, RotateCcw, Trash2, UserPlus, Users } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useShortcut } from '../../../lib/browser/keyboard.ts'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { daysLeft } from '../../../lib/format/time-zones.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { lazyDialog } from '../../../ui/dialog.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { Invitations } from './invitations.tsx'
import { useRecentSignIn } from './sign-in/confirm-password.tsx'
import { useDeleteUser, useRestoreUser, useUsers } from './use-users.ts'
import { UserCard } from './user-card.tsx'

/** An account in the trash with the days left, to restore or delete permanently. */
function TrashedUser({ user, onGone }: TrashedUserProps) {
  const text = useText('users')
  const format = useFormat()
  const errorText = useErrorText()
  const confirm = useConfirm()
  const restore = useRestoreUser(user)
  const remove = useDeleteUser(user)
  const { runConfirmed, dialog } = useRecentSignIn()
  const name = user.full_name || user.username
  const isBusy = restore.isPending || remove.isPending
  const until = user.trash?.until ?? user.updated_at
  const days = daysLeft(until)
  const showError = (error: unknown, title: string) => {
    console.error(title, error)
    showToast({ tone: 'danger', title, description: errorText(error) })
  }

  const restoreUser = async () => {
    try {
      await restore.mutateAsync()
      showToast({ tone: 'success', title: text('manage.restored', { name }) })
      onGone()
    } catch (error) {
      showError(error, text('manage.restoreFailed', { name }))
    }
  }
  const deleteNow = async () => {
    const isConfirmed = await confirm({
      question: text('manage.deleteQuestion'),
      detail: text('manage.deleteNowDetail', { name }),
      confirmLabel: text('manage.deleteNow'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    try {
      await runConfirmed(async (password) => {
        await remove.mutateAsync({ password, now: true })
        showToast({ tone: 'success', title: text('manage.deletedNow', { name }) })
        onGone()
      })
    } catch (error) {
      showError(error, text('manage.deleteFailed', { name }))
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
          <TimeText text={text('manage.daysLeft', { days })} absolute={format.dateTime(until)} dateTime={until} />
        </p>
      </div>
      {/* once its time in the trash is over, some of the account's data may already be deleted */}
      {days > 0 && (
        <Button
          size="sm"
          icon={<RotateCcw aria-hidden />}
          aria-label={text('manage.restoreNamed', { name })}
          disabled={isBusy}
          onClick={() => void restoreUser()}
        >
          <span className="max-sm:sr-only">{text('manage.restore')}</span>
        </Button>
      )}
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
  /** Called once the card is gone, to move the focus. */
  onGone: () => void
}

const InviteDialog = lazyDialog(() => import('./invite-dialog.tsx').then((module) => module.InviteDialog))
const UserDialog = lazyDialog(() => import('./user-dialog.tsx').then((module) => module.UserDialog))

const SEARCH_DELAY_MS = 250
const gridClass = 'grid grid-cols-1 gap-4 md:grid-cols-2 xl:grid-cols-3'

/** All accounts: search, create, change and delete them. */
export function UserManagement() {
  const text = useText('users')
  const appText = useText('app')
  const signInText = useText('sign-in')
  const [search, setSearch] = useState('')
  const [list, setList] = useState<'accounts' | 'trash'>('accounts')
  const [editing, setEditing] = useState<Editing | null>(null)
  const [isInviting, setIsInviting] = useState(false)
  const searchBox = useRef<HTMLDivElement>(null)

  useShortcut({
    key: '/',
    label: text('manage.search'),
    group: text('admin.tabs.users'),
    onPress: () => searchBox.current?.querySelector('input')?.focus(),
  })

  const open = (user: UserJson | null) => setEditing({ user })

  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <div ref={searchBox} className="min-w-0 flex-1 basis-56 sm:max-w-80">
          <SearchField
            label={text('manage.search')}
            placeholder={text('manage.searchHint')}
            clearLabel={appText('common.clearSearch')}
            value={search}
            onValueChange={setSearch}
            maxLength={USER_QUERY_MAX_CHARACTERS}
          />
        </div>
        <Button
          icon={<Trash2 aria-hidden />}
          aria-pressed={list === 'trash'}
          onClick={() => setList(list === 'trash' ? 'accounts' : 'trash')}
        >
          {text('manage.showTrash')}
        </Button>
        <div className="ml-auto flex flex-wrap gap-2 max-sm:w-full">
          <Button icon={<Mail aria-hidden />} onClick={() => setIsInviting(true)} className="max-sm:flex-1">
            {signInText('invitations.invite')}
          </Button>
          <Button
            variant="primary"
            icon={<UserPlus aria-hidden />}
            onClick={() => open(null)}
            className="max-sm:flex-1"
          >
            {text('manage.create')}
          </Button>
        </div>
      </div>
      <UserList key={list} list={list} search={useDebounced(search.trim())} onEdit={open} />
      <Invitations />
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {editing && <UserDialog user={editing.user} onClose={() => setEditing(null)} />}
    </>
  )
}

/** User in the dialog (null for a new one); a new object resets the form. */
type Editing = { user: UserJson | null }

function UserList({ list, search, onEdit }: UserListProps) {
  const text = useText('users')
  const count = useRef<HTMLParagraphElement>(null)
  const query = useUsers(search, list)
  const { data, error } = query
  const users = data?.pages.flatMap((page) => page.items) ?? []

  useEffect(() => {
    if (error) console.error('The users could not be loaded', error)
  }, [error])

  if (query.isPending) return <UserListSkeleton />
  return (
    <>
      {query.isLoadingError && <LoadFailed query={query} className="mb-4" />}
      {data && users.length === 0 && (
        <Card>
          <EmptyState
            icon={<Users />}
            title={text(list === 'trash' ? 'manage.emptyTrash' : 'manage.empty')}
            text={search === '' ? undefined : text('manage.emptyHint', { query: search })}
          />
        </Card>
      )}
      {users.length > 0 && (
        <>
          <p ref={count} tabIndex={-1} aria-live="polite" className="mb-3 text-13 text-muted outline-none">
            {text(query.hasNextPage ? 'manage.countSoFar' : 'manage.count', { count: users.length })}
          </p>
          <ul className={gridClass}>
            {users.map((user) => (
              <li key={user.id} className="flex">
                {list === 'trash' ? (
                  <TrashedUser user={user} onGone={() => count.current?.focus()} />
                ) : (
                  <UserCard user={user} onEdit={() => onEdit(user)} onDeleted={() => count.current?.focus()} />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <NextPage query={query} className="mt-6" />
    </>
  )
}

type UserListProps = { list: 'accounts' | 'trash'; search: string; onEdit: (user: UserJson) => void }

function UserListSkeleton() {
  const appText = useText('app')
  return (
    <LoadingRegion label={appText('common.loading')} className={gridClass}>
      {['first', 'second', 'third'].map((name) => (
        <Skeleton key={name} className="h-64 rounded-card" />
      ))}
    </LoadingRegion>
  )
}

function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}
