import { acceptedExtensionsOf, extensionsOf, uploadContentTypes } from '@mira/shared/constants/formats'
import { PAGE_URL_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { mediaTypes } from '@mira/shared/constants/media'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CheckCircle2, Globe, Info, NotebookPen } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { useDropzone } from 'react-dropzone'
import { Link, useNavigate } from 'react-router-dom'
import { type SavedPage, savePage } from '../../../lib/api/library.ts'
import { usePaste } from '../../../lib/browser/use-paste.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useStore } from '../../../lib/loading/store.ts'
import { dashboardPath, newNotePath, paths } from '../../../lib/session/paths.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import {
  checkFilesBeforeUpload,
  FILE_MIN_BYTES,
  type FileLimits,
  type Rejection,
  type RejectionReason,
  useFileLimits,
} from './check-files.ts'
import { DropZone } from './drop-zone.tsx'
import { chooseFiles } from './kept-handles.ts'
import { QueueHeader } from './queue-header.tsx'
import type { QueueListPanelProps } from './queue-list-panel.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { keepPlaces, SHARED_CACHE, uploads } from './uploads.ts'

/** Form for saving a web page by its URL. */
function PageForm() {
  const text = useText('upload')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [url, setUrl] = useState('')
  const save = useMutation({
    mutationFn: ({ address, again = false }: { address: string; again?: boolean }) => savePage(address, { again }),
    onSuccess: (_, { address }) => {
      // the user may have typed another address meanwhile
      setUrl((current) => (current.trim() === address ? '' : current))
      return queryClient.invalidateQueries({ queryKey: ['gallery'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (url.trim() !== '' && !save.isPending) save.mutate({ address: url.trim() })
  }
  const saveAgain = () => save.variables && save.mutate({ address: save.variables.address, again: true })
  return (
    // on a phone, shared and chosen files come before this card
    <Card className="mt-4 max-sm:order-1">
      <CardHeader title={text('page.title')} description={text('page.description')} />
      <form onSubmit={submit} className="flex flex-col gap-2 sm:flex-row sm:items-start" noValidate>
        <TextField
          label={text('page.address')}
          labelHidden
          type="url"
          inputMode="url"
          autoComplete="off"
          icon={<Globe />}
          placeholder="https://"
          maxLength={PAGE_URL_MAX_CHARACTERS}
          value={url}
          error={save.isError ? errorText(save.error) : undefined}
          onChange={({ target }) => {
            setUrl(target.value)
            if (save.isError) save.reset()
          }}
          className="flex-1"
        />
        <Button type="submit" className="sm:h-10" loading={save.isPending} disabled={url.trim() === ''}>
          {text('page.keep')}
        </Button>
      </form>
      <div role="status" className="text-14">
        {save.isPending && <p className="mt-3 text-muted">{text('page.fetching')}</p>}
        {save.data && !save.isPending && <SavedPageLine page={save.data} onAgain={saveAgain} />}
      </div>
    </Card>
  )
}

function SavedPageLine({ page: { item, isKnown }, onAgain }: { page: SavedPage; onAgain: () => void }) {
  const text = useText('upload')
  const format = useFormat()
  const Icon = isKnown ? Info : CheckCircle2
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="flex min-w-0 items-start gap-2">
        <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isKnown ? 'text-muted' : 'text-success-text'}`} />
        <span className="min-w-0 wrap-anywhere">
          {isKnown ? text('page.known', { date: format.dateTime(item.metadata.created_at) }) : text('page.kept')}{' '}
          <Link to={`${paths.gallery}/${item.id}`} className="text-accent-text underline underline-offset-2">
            {item.metadata.source?.title ?? item.metadata.original_filename}
          </Link>
        </span>
      </p>
      {isKnown && (
        <Button size="sm" onClick={onAgain}>
          {text('page.again')}
        </Button>
      )}
    </div>
  )
}

const MAX_SHOWN = 5

/** Rejected files with the reasons. */
function Rejections({ rejections, limits, onDismiss }: RejectionsProps) {
  const text = useText('upload')
  const rest = rejections.slice(MAX_SHOWN)
  return (
    <Banner
      tone="warning"
      title={text('rejections.title', { count: rejections.length })}
      dismissLabel={text('rejections.dismiss')}
      onDismiss={onDismiss}
      className="mt-4"
    >
      <RejectionList rejections={rejections.slice(0, MAX_SHOWN)} limits={limits} />
      {rest.length > 0 && (
        <details className="mt-1">
          <summary className="font-medium">{text('rejections.more', { count: rest.length })}</summary>
          <div className="max-h-60 overflow-y-auto">
            <RejectionList rejections={rest} limits={limits} />
          </div>
        </details>
      )}
    </Banner>
  )
}

function RejectionList({ rejections, limits }: Omit<RejectionsProps, 'onDismiss'>) {
  const text = useText('upload')
  const format = useFormat()
  const reasonText = (reason: RejectionReason) => {
    if (reason === 'archive') {
      return (
        <>
          {text('rejections.archive')}{' '}
          <Link to={dashboardPath('settings')} className="text-accent-text underline underline-offset-2">
            {text('rejections.archiveLink')}
          </Link>
        </>
      )
    }
    if (reason === 'type') return text('rejections.type', { types: extensionsOf(...mediaTypes).join(', ') })
    // The exact number: "File is larger than 10737418240 bytes".
    if (reason === 'too-large') return text('rejections.tooLarge', { bytes: String(limits.maxBytes) })
    if (reason === 'still-too-large')
      return text('rejections.stillTooLarge', { size: format.bytes(limits.stillMaxBytes) })
    if (reason === 'too-small') return text('rejections.tooSmall', { count: FILE_MIN_BYTES })
    return text('rejections.tooMany')
  }
  return (
    <ul className="flex flex-col gap-1">
      {rejections.map(({ name, reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <li key={index} className="min-w-0">
          <span className="font-medium break-all">{name}</span>
          <span className="block text-muted">{reasonText(reason)}</span>
        </li>
      ))}
    </ul>
  )
}

type RejectionsProps = {
  rejections: readonly Rejection[]
  limits: FileLimits
  onDismiss: () => void
}

const SharedPanel = lazyPart(() => import('./shared-panel.tsx').then((module) => module.SharedPanel))

/** Asks about things shared by other apps and websites; the panel's code is loaded only if there may be any. */
function SharedQuestion({ onAddFiles }: { onAddFiles: (files: readonly File[]) => void }) {
  const [mayHaveShared, setMayHaveShared] = useState(() => new URLSearchParams(window.location.search).has('shared'))
  useEffect(() => {
    // caches and service workers exist only on https and localhost
    if (!('caches' in window)) return
    caches.has(SHARED_CACHE).then(
      (exists) => exists && setMayHaveShared(true),
      (error: unknown) => console.warn('Failed to check for shared content', error),
    )
  }, [])
  if (!mayHaveShared) return null
  return <SharedPanel onAddFiles={onAddFiles} />
}

const ROW_PX = 77

/** Files of the queue; reserves their space until the list's code is loaded with the first file. */
const QueueList = lazyPart(
  () => import('./queue-list-panel.tsx').then((module) => module.QueueListPanel),
  ({ entries }: QueueListPanelProps) => <Card flush style={{ height: entries.length * ROW_PX }} />,
)

const accepted = [
  ...acceptedExtensionsOf(...mediaTypes).map((extension) => `.${extension}`),
  ...uploadContentTypes,
].join(',')

/** Page for adding files to the memory. */
export function UploadPage() {
  const text = useText('upload')
  const entries = useStore(uploads.entries)
  const keepsPlace = useStore(uploads.keepsPlace)
  const limits = useFileLimits()
  const [rejections, setRejections] = useState<readonly Rejection[]>([])
  useUserEvents(uploads.handleEvent)

  const add = (files: readonly File[]) => {
    const pending = uploads.entries.get().filter(({ status }) => status === 'pending')
    const checked = checkFilesBeforeUpload(
      files,
      pending.map(({ file }) => file),
      limits,
    )
    uploads.add(checked.accepted)
    setRejections(checked.rejections)
  }
  usePasted(add)
  // `checkFilesBeforeUpload` alone decides which files to accept; they can be dropped anywhere on the page.
  const { getRootProps, getInputProps, isDragActive, isProcessing, open } = useDropzone({
    onDrop: (files, refused) => add([...files, ...refused.map(({ file }) => file)]),
    onError: (error) => console.error('Failed to read dropped files', error),
    noClick: true,
    noKeyboard: true,
    noPaste: true,
  })
  // uploads of files from the browser's picker can be resumed after a reload
  const choose = async () => {
    const files = await chooseFiles()
    if (files === null) open()
    else add(files)
  }

  return (
    <div {...getRootProps({ className: 'flex flex-col' })}>
      <PageHeader
        title={text('title')}
        subtitle={text('subtitle')}
        actions={
          <Link to={newNotePath} className={buttonClass({})}>
            <NotebookPen aria-hidden />
            {text('note')}
          </Link>
        }
      />
      <SharedQuestion onAddFiles={add} />
      <Card>
        <input {...getInputProps({ accept: accepted, 'aria-label': text('drop.choose') })} />
        <DropZone
          isActive={isDragActive}
          isReading={isProcessing}
          isCompact={entries.length > 0}
          limits={limits}
          onChoose={() => void choose()}
          onChooseFolder={add}
        />
        <Checkbox
          className="mt-4"
          label={text('keepPlace.label')}
          description={text('keepPlace.description')}
          checked={keepsPlace}
          onCheckedChange={keepPlaces}
        />
      </Card>
      <PageForm />
      {rejections.length > 0 && (
        <Rejections rejections={rejections} limits={limits} onDismiss={() => setRejections([])} />
      )}
      <UnfinishedUploads entries={entries} />
      {entries.length > 0 && (
        <section aria-labelledby="queue-title" className="mt-6">
          <QueueHeader entries={entries} />
          <QueueList rowPx={ROW_PX} entries={entries} />
        </section>
      )}
    </div>
  )
}

/** Adds files pasted anywhere on the page, and makes a note of pasted text; text fields are left alone. */
function usePasted(add: (files: readonly File[]) => void): void {
  const navigate = useNavigate()
  usePaste((event, files) => {
    const words = files.length === 0 ? (event.clipboardData?.getData('text/plain') ?? '') : ''
    const isInField = event.target instanceof Element && event.target.closest('input, textarea') !== null
    if (files.length > 0) add(files)
    else if (words.trim() !== '' && !isInField) void navigate(newNotePath, { state: { text: words } })
    else return
    event.preventDefault()
  })
}
