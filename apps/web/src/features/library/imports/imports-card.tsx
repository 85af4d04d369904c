import { LARGE_UPLOAD_MAX_BYTES } from '@mira/shared/constants/limits'
import {
  IMPORT_KEY_MAX_CHARACTERS,
  IMPORT_URL_MAX_CHARACTERS,
  type ImportSource,
  importSources,
  importsMedia,
  isServerSource,
} from '@mira/shared/constants/media'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { FileInput, PackageOpen } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { preparePartUploads } from '../../../lib/api/uploads.ts'
import { useClosePrompt } from '../../../lib/browser/close-prompt.ts'
import { ZipProblem } from '../../../lib/browser/zip-blob.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { ListCard } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { Banner } from '../../../ui/banner.tsx'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useCloseIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { asOneFile, type ChosenFiles, canMerge, ImportFiles, isSingleFile, sizeOf } from './import-files.tsx'
import { importsKey, importsQuery, previewImport } from './import-queries.ts'
import { ImportRow } from './import-row.tsx'

/** Takes another program's file, or a server's address and key, and requests a preview; the import is started from the list. */
function NewImportDialog({ open, onOpenChange }: NewImportDialogProps) {
  const text = useText('imports')
  const errorText = useErrorText()
  const format = useFormat()
  const queryClient = useQueryClient()
  const confirm = useConfirm()
  const sending = useRef<AbortController>(null)
  const [source, setSource] = useState<ImportSource>('chatgpt')
  const [selection, setSelection] = useState<ChosenFiles | null>(null)
  const [isPacking, setIsPacking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [percent, setPercent] = useState(0)
  const [url, setUrl] = useState('')
  const [key, setKey] = useState('')
  const [hasSubmitted, setHasSubmitted] = useState(false)
  const isServer = isServerSource(source)
  const closeNow = useCloseIfMounted(() => onOpenChange(false))
  const preview = useMutation({
    mutationFn: async (input: ChosenFiles | null) => {
      if (isServerSource(source)) return call('POST /imports', { json: { source, url, key, preview: true } })
      if (input === null) throw new Error('no file was chosen')
      sending.current = new AbortController()
      const { signal } = sending.current
      setPercent(0)
      setIsPacking(true)
      const file = await asOneFile(input, signal).finally(() => setIsPacking(false))
      const onProgress = (sentBytes: number, total: number) => setPercent((sentBytes / total) * 100)
      return previewImport(source, file, { onProgress, signal })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: importsKey })
      closeNow()
    },
    onError: (error) => console.error('Failed to send the import', error),
  })
  const isStopped = preview.error?.name === 'AbortError'

  const isSending = preview.isPending && !isServer
  const close = async () => {
    const isSure =
      !isSending ||
      (await confirm({
        question: text('stopQuestion'),
        detail: text('stopDetail'),
        confirmLabel: text('stop'),
        tone: 'danger',
      }))
    if (!isSure) return
    sending.current?.abort()
    onOpenChange(false)
  }
  useClosePrompt(isSending)
  const choose = (next: ChosenFiles) => {
    setSelection(next)
    preview.reset()
    preparePartUploads()
    // too large a selection is rejected before anything is sent
    const isTooLarge = sizeOf(next) > LARGE_UPLOAD_MAX_BYTES
    if (isTooLarge) setProblem(text('tooLarge', { limit: format.bytes(LARGE_UPLOAD_MAX_BYTES) }))
    else if (next.files.length === 0) setProblem(text('folderEmpty'))
    else setProblem(canMerge(next) ? undefined : text('onlyZips'))
  }
  const submit = () => {
    setHasSubmitted(true)
    if (isServer) {
      if (URL.canParse(url.trim()) && key.trim() !== '') preview.mutate(null)
    } else if (selection === null) setProblem(text('fileMissing'))
    else if (problem === undefined) preview.mutate(selection)
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={(isOpen) => (isOpen ? onOpenChange(true) : void close())}
      title={text('dialogTitle')}
      description={text('dialogText')}
      onSubmit={submit}
      submitLabel={text('count')}
      isBusy={preview.isPending}
    >
      <div className="flex flex-col gap-4">
        {preview.error && !isStopped && (
          <Banner tone="error">
            {preview.error instanceof ZipProblem ? text('notZip') : errorText(preview.error)}
          </Banner>
        )}
        <Select
          label={text('from')}
          hint={text(`hint.${source}`)}
          value={source}
          disabled={preview.isPending}
          options={importSources.map((value) => ({ value, label: text(`source.${value}`) }))}
          onValueChange={(picked) => {
            setSource(picked)
            preview.reset()
            // keeps the selection, unless it consists of several files and exports of the other program are single files
            if (selection !== null && (isSingleFile(selection) || importsMedia(picked))) return
            setSelection(null)
            setProblem(undefined)
          }}
        />
        {isServer ? (
          <>
            <TextField
              label={text('url')}
              type="url"
              inputMode="url"
              placeholder="https://photos.example.com"
              value={url}
              maxLength={IMPORT_URL_MAX_CHARACTERS}
              disabled={preview.isPending}
              error={hasSubmitted && !URL.canParse(url.trim()) ? text('urlMissing') : undefined}
              onChange={(event) => setUrl(event.target.value)}
            />
            <PasswordField
              label={text('key')}
              hint={text('keyHint')}
              autoComplete="off"
              value={key}
              maxLength={IMPORT_KEY_MAX_CHARACTERS}
              disabled={preview.isPending}
              error={hasSubmitted && key.trim() === '' ? text('keyMissing') : undefined}
              onChange={(event) => setKey(event.target.value)}
            />
          </>
        ) : (
          <div>
            <ImportFiles source={source} selection={selection} disabled={preview.isPending} onChoose={choose} />
            <div aria-live="polite">{problem && <p className="mt-2 text-13 text-danger-text">{problem}</p>}</div>
          </div>
        )}
        {isSending && <Progress label={text(isPacking ? 'packing' : 'sending')} value={percent} />}
      </div>
    </FormDialog>
  )
}

type NewImportDialogProps = { open: boolean; onOpenChange: (isOpen: boolean) => void }

/** The user's imports from other programs: preview a file, import it, see the result, undo it. */
export function ImportsCard() {
  const text = useText('imports')
  const queryClient = useQueryClient()
  const query = useInfiniteQuery(importsQuery)
  const [dialogKey, setDialogKey] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const all = query.data?.pages.flatMap(({ imports }) => imports)

  useUserEvents(({ type }) => {
    if (type === 'import.progress' || type === 'events.resumed')
      void queryClient.invalidateQueries({ queryKey: importsKey })
  })

  return (
    <>
      <ListCard
        title={text('title')}
        description={text('subtitle')}
        add={{
          icon: <FileInput aria-hidden />,
          children: text('choose'),
          onClick: () => {
            setDialogKey(dialogKey + 1)
            setIsOpen(true)
          },
        }}
        query={query}
        items={all}
        empty={{ icon: <PackageOpen />, title: text('empty'), text: text('emptyHint') }}
      >
        {(job) => <ImportRow key={job.id} job={job} />}
      </ListCard>
      <NewImportDialog key={dialogKey} open={isOpen} onOpenChange={setIsOpen} />
    </>
  )
}
