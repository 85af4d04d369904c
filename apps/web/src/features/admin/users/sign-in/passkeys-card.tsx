import type { PasskeyJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fingerprint, Pencil, Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../../../lib/api/client.ts'
import { FormDialog } from '../../../../lib/components/form-dialog.tsx'
import { QueryList } from '../../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../../lib/components/relative-time.tsx'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { useRemoval } from '../../../../lib/loading/use-move-to-trash.ts'
import { Badge } from '../../../../ui/badge.tsx'
import { Banner } from '../../../../ui/banner.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Card, CardHeader } from '../../../../ui/card.tsx'
import { IconButton } from '../../../../ui/icon-button.tsx'
import { showToast } from '../../../../ui/show-toast.ts'
import { TextField } from '../../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../../ui/use-close-if-mounted.ts'
import { readUserAgent } from '../devices.tsx'
import { useRecentSignIn } from './confirm-password.tsx'
import { createPasskey, isCancelled, isKnownDevice } from './passkey-ways.ts'

const passkeysKey = ['passkeys']

/** The user's passkeys, to add, rename and remove. */
export function PasskeysCard() {
  const text = useText('sign-in')
  const passkeys = useQuery({ queryKey: passkeysKey, queryFn: ({ signal }) => call('GET /auth/passkeys', { signal }) })
  const signInMethods = useQuery({
    queryKey: ['sign-in-ways'],
    queryFn: ({ signal }) => call('GET /config', { signal }).then(({ sign_in }) => sign_in),
  })
  const [renaming, setRenaming] = useState<{ passkey: PasskeyJson; isOpen: boolean; opening: number } | null>(null)
  const canAdd = signInMethods.data?.passkeys === true && 'PublicKeyCredential' in window
  const adding = useAddPasskey()

  useEffect(() => {
    if (passkeys.error) console.error('The passkeys could not be loaded', passkeys.error)
  }, [passkeys.error])

  return (
    <Card>
      <CardHeader
        title={text('passkeys.title')}
        description={text('passkeys.subtitle')}
        actions={
          canAdd && (
            <Button size="sm" icon={<Plus aria-hidden />} loading={adding.isAdding} onClick={adding.add}>
              {text('passkeys.add')}
            </Button>
          )
        }
      />
      {adding.failure && (
        <Banner tone="error" className="mb-4">
          {adding.failure}
        </Banner>
      )}
      {signInMethods.data && !canAdd && (
        <Banner tone="info" className="mb-4">
          {text(signInMethods.data.passkeys ? 'passkeys.noBrowser' : 'passkeys.noName')}
        </Banner>
      )}
      <QueryList
        query={passkeys}
        items={passkeys.data}
        label={text('passkeys.title')}
        empty={
          canAdd
            ? { icon: <Fingerprint />, title: text('passkeys.empty'), text: text('passkeys.emptyHint') }
            : undefined
        }
      >
        {(passkey) => (
          <Passkey
            key={passkey.id}
            passkey={passkey}
            onRename={() => setRenaming({ passkey, isOpen: true, opening: (renaming?.opening ?? 0) + 1 })}
          />
        )}
      </QueryList>
      {renaming && (
        <RenameDialog
          key={renaming.opening}
          passkey={renaming.passkey}
          open={renaming.isOpen}
          onOpenChange={(isOpen) => setRenaming({ ...renaming, isOpen })}
        />
      )}
      {adding.dialog}
    </Card>
  )
}

/** Adds a passkey, initially named after this browser. */
function useAddPasskey() {
  const text = useText('sign-in')
  const userText = useText('users')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { runConfirmed, dialog } = useRecentSignIn()
  const [isAdding, setIsAdding] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const add = async () => {
    const { app, system } = readUserAgent(navigator.userAgent)
    const name = app && system ? userText('devices.name', { app, system }) : text('passkeys.title')
    setIsAdding(true)
    setFailure(null)
    try {
      await runConfirmed(async (password) => {
        const passkey = await createPasskey(name, password).catch((error: unknown) => {
          // Neither has to do with the password, for which a dialog may be open.
          if (!isCancelled(error) && !isKnownDevice(error)) throw error
          if (isKnownDevice(error)) setFailure(text('passkeys.known'))
          return null
        })
        if (passkey === null) return
        await queryClient.invalidateQueries({ queryKey: passkeysKey })
        showToast({ tone: 'success', title: text('passkeys.added', { name: passkey.name }) })
      })
    } catch (error) {
      console.error('The passkey could not be added', error)
      setFailure(errorText(error, text('passkeys.addFailed')))
    }
    setIsAdding(false)
  }
  return { add: () => void add(), isAdding, failure, dialog }
}

function Passkey({ passkey, onRename }: { passkey: PasskeyJson; onRename: () => void }) {
  const text = useText('sign-in')
  const userText = useText('users')
  const { name } = passkey
  const remove = useRemoval({
    question: text('passkeys.removeQuestion', { name }),
    detail: text('passkeys.removeDetail'),
    confirmLabel: text('passkeys.remove'),
    remove: () => call('DELETE /auth/passkeys/:id', { params: { id: passkey.id } }),
    successToast: text('passkeys.removed', { name }),
    failureTitle: text('passkeys.removeFailed'),
    queryKey: passkeysKey,
  })

  return (
    <li className="flex items-center gap-3 py-3">
      <span
        aria-hidden
        className="grid size-9 shrink-0 place-items-center rounded-control bg-surface-sunken text-muted"
      >
        <Fingerprint className="size-4.5" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-14 font-medium">
          <span className="min-w-0 truncate">{name}</span>
          {passkey.is_backed_up && <Badge>{text('passkeys.backedUp')}</Badge>}
        </p>
        <p className="text-13 text-muted">
          {passkey.last_used_at ? (
            <>
              {userText('devices.lastUsed')} <RelativeTime moment={passkey.last_used_at} />
            </>
          ) : (
            text('passkeys.unused')
          )}
        </p>
      </div>
      <IconButton name={text('passkeys.rename', { name })} icon={<Pencil aria-hidden />} onClick={onRename} />
      <Button
        size="sm"
        loading={remove.isPending}
        aria-label={text('passkeys.removeOne', { name })}
        onClick={remove.ask}
      >
        {text('passkeys.remove')}
      </Button>
    </li>
  )
}

function RenameDialog({ passkey, open, onOpenChange }: RenameDialogProps) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [name, setName] = useState(passkey.name)
  const close = useCloseIfMounted(() => onOpenChange(false))
  const rename = useMutation({
    mutationFn: () => call('PATCH /auth/passkeys/:id', { params: { id: passkey.id }, json: { name: name.trim() } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: passkeysKey })
      close()
    },
    onError: (error) => console.error('The passkey could not be renamed', error),
  })

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      size="sm"
      title={text('passkeys.renameTitle')}
      onSubmit={() => rename.mutate()}
      submitLabel={text('passkeys.save')}
      isBusy={rename.isPending}
      canSubmit={name.trim() !== ''}
    >
      <TextField
        label={text('passkeys.name')}
        name="name"
        data-autofocus=""
        autoComplete="off"
        maxLength={80}
        value={name}
        error={rename.error ? errorText(rename.error) : undefined}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  )
}

type RenameDialogProps = { passkey: PasskeyJson; open: boolean; onOpenChange: (isOpen: boolean) => void }
