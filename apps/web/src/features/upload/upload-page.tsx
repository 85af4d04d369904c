import { takenEndingsOf, uploadContentTypes } from '@mira/shared/constants/formats'
import { mediaTypes } from '@mira/shared/constants/media'
import { NotebookPen } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useDropzone } from 'react-dropzone'
import { Link, useNavigate } from 'react-router-dom'
import { useUserEvents } from '../../lib/event-stream.ts'
import { useText } from '../../lib/i18n.ts'
import { newNotePath } from '../../lib/paths.ts'
import { useStore } from '../../lib/store.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DropZone } from './drop-zone.tsx'
import { judgeFiles, type Rejection } from './judge-files.ts'
import { chooseFiles } from './kept-handles.ts'
import { PageAddress } from './page-address.tsx'
import { QueueHeader } from './queue-header.tsx'
import { QueueList } from './queue-list.tsx'
import { Rejections } from './rejections.tsx'
import { SharedQuestion } from './shared-question.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { keepPlaces, uploads } from './uploads.ts'
import { useFileLimits } from './use-file-limits.ts'

const accepted = [...takenEndingsOf(...mediaTypes).map((ending) => `.${ending}`), ...uploadContentTypes].join(',')

/** The screen on which files are added to the memory. */
export function UploadPage() {
  const text = useText('upload')
  const entries = useStore(uploads.entries)
  const keepsPlace = useStore(uploads.keepsPlace)
  const limits = useFileLimits()
  const [rejections, setRejections] = useState<readonly Rejection[]>([])
  useUserEvents(uploads.handleEvent)

  const add = (files: readonly File[]) => {
    const waiting = uploads.entries.get().filter(({ status }) => status === 'pending')
    const judged = judgeFiles(
      files,
      waiting.map(({ file }) => file),
      limits,
    )
    uploads.add(judged.accepted)
    setRejections(judged.rejections)
  }
  usePasted(add)
  // Files are judged in one place, however they come; the whole page takes what is dropped.
  const { getRootProps, getInputProps, isDragActive, isProcessing, open } = useDropzone({
    onDrop: (files, refused) => add([...files, ...refused.map(({ file }) => file)]),
    onError: (error) => console.error('What was dropped could not be read', error),
    noClick: true,
    noKeyboard: true,
    noPaste: true,
  })
  // files of the browser's own chooser are found again after a reload
  const choose = async () => {
    const chosen = await chooseFiles()
    if (chosen === null) open()
    else add(chosen)
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
      <PageAddress />
      {rejections.length > 0 && (
        <Rejections rejections={rejections} limits={limits} onDismiss={() => setRejections([])} />
      )}
      <UnfinishedUploads entries={entries} />
      {entries.length > 0 && (
        <section aria-labelledby="queue-title" className="mt-6">
          <QueueHeader entries={entries} />
          <QueueList entries={entries} />
        </section>
      )}
    </div>
  )
}

/** Takes files that are pasted anywhere on the page, and makes a note of words that are; not where text is written. */
function usePasted(add: (files: readonly File[]) => void): void {
  const navigate = useNavigate()
  const handle = useEffectEvent((event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])]
    const words = files.length === 0 ? (event.clipboardData?.getData('text/plain') ?? '') : ''
    const isInField = event.target instanceof Element && event.target.closest('input, textarea') !== null
    if (files.length > 0) add(files)
    else if (words.trim() !== '' && !isInField) void navigate(newNotePath, { state: { text: words } })
    else return
    event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: ClipboardEvent) => handle(event)
    document.addEventListener('paste', listener)
    return () => document.removeEventListener('paste', listener)
  }, [])
}
