import type { WatchedFolderJson } from '@mira/shared'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderSync, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { LoadFailed, QueryList } from '../../../lib/components/query-list.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { accountsQuery } from './accounts-query.ts'

/** Query key of the watched folders. */
const watchedFoldersKey = ['admin-watched-folders'] as const

/** Form for watching a folder for a user. */
function WatchedFolderDialog({ root, onClose }: { root: string; onClose: () => void }) {
  const text = useText('watched-folders')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const queryClient = useQueryClient()
  const me = useUser()
  const [path, setPath] = useState(`${root}/`)
  const [userId, setUserId] = useState(me.id)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const { data: accounts = [] } = useQuery(accountsQuery)
  const close = useCloseIfMounted(onClose)
  const save = useMutation({
    mutationFn: () => call('POST /admin/watched-folders', { json: { path, user_id: userId } }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: watchedFoldersKey })
      close()
    },
    onError: (error) => {
      console.error('The folder could not be watched', error)
      setErrors(fieldErrors(error))
    },
  })
  const submit = () => {
    setErrors({})
    save.mutate()
  }
  const options = accounts.some(({ id }) => id === me.id) ? accounts : [me, ...accounts]
  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text('add')}
      onSubmit={submit}
      submitLabel={text('save')}
      isBusy={save.isPending}
    >
      <div className="flex flex-col gap-4">
        {save.isError && Object.keys(errors).length === 0 && <Banner tone="error">{errorText(save.error)}</Banner>}
        <TextField
          label={text('path')}
          hint={text('pathHint', { root })}
          required
          data-autofocus=""
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          value={path}
          error={errors.path}
          onChange={(event) => setPath(event.target.value)}
        />
        <Select
          label={text('person')}
          value={userId}
          error={errors.user_id}
          options={options.map(({ id, username }) => ({ value: id, label: username }))}
          onValueChange={setUserId}
        />
      </div>
    </FormDialog>
  )
}

const SCANNING_POLL_MS = 2_000
const IDLE_POLL_MS = 30_000

/** Folders of the server whose files are copied into users' memories. */
export function WatchedFoldersCard() {
  const text = useText('watched-folders')
  const [isAdding, setIsAdding] = useState(false)
  const query = useQuery({
    queryKey: watchedFoldersKey,
    queryFn: ({ signal }) => call('GET /admin/watched-folders', { signal }),
    refetchInterval: ({ state }) =>
      state.data?.folders.some(({ scanning }) => scanning) ? SCANNING_POLL_MS : IDLE_POLL_MS,
  })
  const { data } = query
  return (
    <Card>
      <CardHeader title={text('title')} description={text('subtitle')} />
      <QueryList
        query={query}
        items={data?.folders}
        label={text('title')}
        loading={<Skeleton className="h-20" />}
        empty={undefined}
      >
        {(folder) => <Folder key={folder.id} folder={folder} />}
      </QueryList>
      {data?.root === null && <p className="text-13 text-muted">{text('noRoot')}</p>}
      {data && data.root !== null && data.folders.length === 0 && (
        <p className="text-13 text-muted">{text('empty', { root: data.root })}</p>
      )}
      {data && data.root !== null && (
        <Button className="mt-4" icon={<FolderSync aria-hidden />} onClick={() => setIsAdding(true)}>
          {text('add')}
        </Button>
      )}
      {data && data.root !== null && isAdding && (
        <WatchedFolderDialog root={data.root} onClose={() => setIsAdding(false)} />
      )}
    </Card>
  )
}

function Folder({ folder }: { folder: WatchedFolderJson }) {
  const text = useText('watched-folders')
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const { id, path } = folder
  const onError = (error: Error) => {
    console.error('The watched folder could not be changed', error)
    showToast({ tone: 'danger', title: text('failedToChange'), description: errorText(error) })
  }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: watchedFoldersKey })
  const scan = useMutation({
    mutationFn: () => call('POST /admin/watched-folders/:id/scan', { params: { id } }),
    onError,
    onSettled,
  })
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => call('PATCH /admin/watched-folders/:id', { params: { id }, json: { enabled } }),
    onError,
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /admin/watched-folders/:id', { params: { id } }),
    onError,
    onSettled,
  })
  const confirmRemoval = async () => {
    const isConfirmed = await confirm({
      question: text('removeQuestion', { path }),
      detail: text('removeDetail'),
      confirmLabel: text('remove'),
    })
    if (isConfirmed) remove.mutate()
  }
  return (
    <li className="flex flex-col gap-2 py-3">
      <div>
        <h3 className="text-14 font-medium break-all">{path}</h3>
        <p className="text-13 text-muted">{text('for', { name: folder.username })}</p>
      </div>
      <p role="status" className="flex flex-wrap gap-x-3 text-13 text-muted">
        {folder.scanning ? (
          <span>{text('scanning', { count: folder.seen })}</span>
        ) : (
          <span>
            {text('scanned')} {folder.scanned_at ? <RelativeTime moment={folder.scanned_at} /> : text('never')}
          </span>
        )}
        <span>{text('kept', { count: folder.kept })}</span>
      </p>
      {folder.problem && (
        <p className="text-13 break-words text-danger-text">{sentenceText(folder.problem, folder.problem_told)}</p>
      )}
      {folder.failed > 0 && <Files folder={folder} state="failed" />}
      {folder.gone > 0 && <Files folder={folder} state="gone" />}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          icon={<RefreshCw aria-hidden />}
          loading={scan.isPending}
          disabled={!folder.enabled || folder.scanning}
          aria-label={text('scanOne', { path })}
          onClick={() => scan.mutate()}
        >
          {text('scan')}
        </Button>
        <Button
          size="sm"
          icon={<Trash2 aria-hidden />}
          loading={remove.isPending}
          aria-label={text('removeOne', { path })}
          onClick={() => void confirmRemoval()}
        >
          {text('remove')}
        </Button>
        <Switch
          label={text('enabled', { path })}
          labelHidden
          className="ml-auto"
          checked={toggle.isPending ? toggle.variables : folder.enabled}
          disabled={toggle.isPending}
          onCheckedChange={(enabled) => toggle.mutate(enabled)}
        />
      </div>
    </li>
  )
}

/** Collapsed list of files that couldn't be imported, or are gone from their source. */
function Files({ folder, state }: { folder: WatchedFolderJson; state: 'failed' | 'gone' }) {
  const text = useText('watched-folders')
  const [isOpen, setIsOpen] = useState(false)
  const query = useQuery({
    queryKey: [...watchedFoldersKey, folder.id, state],
    queryFn: ({ signal }) =>
      call('GET /admin/watched-folders/:id/files', { params: { id: folder.id }, signal, query: { state, limit: 50 } }),
    enabled: isOpen,
  })
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded-control text-13 text-muted">
        {text(state, { count: folder[state] })}
      </summary>
      {query.isLoadingError && <LoadFailed query={query} className="mt-1" />}
      <ul className="mt-1 max-h-48 overflow-y-auto text-13">
        {query.data?.files.map((file) => (
          <li key={file.id} className="py-0.5 break-all">
            {file.path}
            {file.problem && <span className="block text-muted">{file.problem}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
