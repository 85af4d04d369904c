import type { AttachedMedia, MediaDetailJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { type ClipboardEvent, type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { loadUploads } from '../../../lib/api/load-uploads.ts'
import { pause } from '../../../lib/browser/pause.ts'
import { randomUuid } from '../../../lib/browser/random-uuid.ts'
import { pastedFiles } from '../../../lib/browser/use-paste.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { useUser } from '../../../lib/session/session.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { filesOf } from '../conversation/choose-pictures.ts'
import { attachedOf } from '../messages/attached-items.tsx'
import type { ChosenPictures } from './use-pictures.ts'

const POLL_MS = 1_000
/** Maximum time that a message waits for a file to be read. */
const READ_TIMEOUT_MS = 30 * 60_000

/** A file being uploaded to the memory, to be attached to the next message. */
export interface UploadingFile {
  key: string
  name: string
  /** Percentage of its bytes uploaded; 100 while the server reads it. */
  progress: number
}

/** Files for the next message that aren't in the memory yet. */
export interface FileUploads {
  /** True when files can be added: the user may upload, and the chat isn't temporary. */
  isAvailable: boolean
  uploads: readonly UploadingFile[]
  /** Uploads files to the memory one by one, and attaches each to the message once it has been read. */
  add: (files: readonly File[]) => void
  /** Cancels the upload of a file, or stops waiting for it to be read; an uploaded file stays in the memory. */
  cancel: (key: string) => void
}

/** Uploads files to the memory and attaches them to the next message of the current conversation. */
export function useFileUploads({ viewKey, attached, isOff }: FileUploadsOptions): FileUploads {
  const text = useText('chat')
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const mayUpload = can(useUser(), 'upload')
  const [uploads, setUploads] = useState<readonly UploadingFile[]>([])
  const controllers = useRef(new Map<string, AbortController>())
  /** Settles when the latest file's upload has ended; files are uploaded one by one. */
  const lastUpload = useRef<Promise<unknown>>(Promise.resolve())

  const attach = useEffectEvent((items: AttachedMedia[]) => attached.add(items))
  const showFailure = useEffectEvent((name: string, description: string) =>
    showToast({ tone: 'danger', title: text('files.failed', { name }), description }),
  )
  const cancelAll = useEffectEvent(() => {
    for (const one of controllers.current.values()) one.abort()
    setUploads([])
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: added files belong to the conversation that was shown
  useEffect(() => () => cancelAll(), [viewKey])

  const removeUpload = (key: string) => {
    controllers.current.delete(key)
    setUploads((now) => now.filter((one) => one.key !== key))
  }

  const upload = async (
    file: File,
    key: string,
    signal: AbortSignal,
    previous: Promise<unknown>,
    onUploadEnd: () => void,
  ) => {
    try {
      await previous
      signal.throwIfAborted()
      if (!(await isReadable(file))) return showFailure(file.name, text('files.unreadable'))
      const onProgress = (sentBytes: number, total: number) => {
        const progress = Math.floor((sentBytes / Math.max(total, 1)) * 100)
        setUploads((now) => now.map((one) => (one.key === key ? { ...one, progress } : one)))
      }
      const { uploadFile } = await loadUploads()
      const { item } = await uploadFile(file, { keepPlace: false }, { onProgress, signal })
      onUploadEnd()
      const processedItem = await waitUntilRead(item.id, signal)
      if (processedItem === null) showFailure(file.name, text('files.takesLong'))
      else if (processedItem.processing_status === 'failed')
        showFailure(file.name, sentenceText(processedItem.error ?? '', processedItem.error_told))
      else attach([attachedOf(processedItem)])
    } catch (error) {
      if (!signal.aborted) showFailure(file.name, errorText(error))
    } finally {
      onUploadEnd()
      removeUpload(key)
    }
  }

  return {
    isAvailable: mayUpload && !isOff,
    uploads,
    add(files) {
      const freeCount = MESSAGE_MAX_MEDIA - attached.media.length - uploads.length
      if (files.length > freeCount) {
        showToast({ tone: 'warning', title: text('attach.tooMany', { max: MESSAGE_MAX_MEDIA }) })
      }
      const accepted = files.slice(0, Math.max(freeCount, 0))
      // A failure shows `MissingPartNotice`; sending a file then fails with an error.
      if (accepted.length > 0)
        loadUploads().then(
          ({ prepareUploads }) => prepareUploads(accepted),
          () => {},
        )
      for (const file of accepted) {
        const key = randomUuid()
        const controller = new AbortController()
        controllers.current.set(key, controller)
        setUploads((now) => [...now, { key, name: file.name, progress: 0 }])
        const { promise, resolve } = Promise.withResolvers<void>()
        void upload(file, key, controller.signal, lastUpload.current, resolve)
        lastUpload.current = promise
      }
    },
    cancel(key) {
      controllers.current.get(key)?.abort()
      removeUpload(key)
    },
  }
}

/** False for a folder, which browsers drop as a file, and for a file that was moved or deleted. */
function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
}

/**
 * Waits until an item's processing has completed or failed, without a time limit while the connection is lost.
 *
 * @returns null when processing takes longer than `READ_TIMEOUT_MS`.
 */
async function waitUntilRead(id: string, signal: AbortSignal): Promise<MediaDetailJson | null> {
  const deadline = performance.now() + READ_TIMEOUT_MS
  for (;;) {
    const item = await call('GET /media/:id', { params: { id }, signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.isTemporary) return null
      throw error
    })
    if (item?.processing_status === 'completed' || item?.processing_status === 'failed') return item
    if (item !== null && performance.now() > deadline) return null
    await pause(POLL_MS, signal)
    signal.throwIfAborted()
  }
}

interface FileUploadsOptions {
  /** Changes when another conversation is shown. */
  viewKey: string
  /** Items chosen for the message; each file is added to them once it has been read. */
  attached: { media: readonly AttachedMedia[]; add: (items: readonly AttachedMedia[]) => void }
  /** True in temporary chats, which store nothing: no files can be added. */
  isOff: boolean
}

/**
 * Handles dropped or pasted files: pictures are attached for the model, other files are uploaded to the memory first. Where
 * files can't be uploaded, they're all treated as pictures.
 */
export function useDroppedFiles({
  files,
  pictures,
}: {
  files: Pick<FileUploads, 'isAvailable' | 'add'>
  pictures: Pick<ChosenPictures, 'add'>
}) {
  const [isDropTarget, setIsDropTarget] = useState(false)

  const addFiles = (fileList: File[]) => {
    const isForMemory = ({ type }: File) => files.isAvailable && !type.startsWith('image/')
    const others = fileList.filter(isForMemory)
    if (others.length > 0) files.add(others)
    if (others.length < fileList.length) pictures.add(fileList.filter((file) => !isForMemory(file)))
  }

  return {
    isDropTarget,
    dropTarget: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setIsDropTarget(true)
      },
      onDragLeave: () => setIsDropTarget(false),
      onDrop(event: DragEvent) {
        setIsDropTarget(false)
        const dropped = filesOf(event.dataTransfer)
        if (dropped.length === 0) return
        event.preventDefault()
        addFiles(dropped)
      },
    },
    handlePaste(event: ClipboardEvent<HTMLTextAreaElement>) {
      const pasted = pastedFiles(event.clipboardData)
      if (pasted.length === 0) return
      event.preventDefault()
      addFiles(pasted)
    },
  }
}
