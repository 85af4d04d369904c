import type { AttachedMedia, MediaDetailJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { type ClipboardEvent, type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
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

const LOOK_EVERY_MS = 1_000
/** A message waits no longer for a file to be read. */
const READ_TIMEOUT_MS = 30 * 60_000

/** A file on its way into the memory, from where it goes with the next message. */
export interface UploadingFile {
  key: string
  name: string
  /** Percent of its bytes that were sent; 100 while it is read. */
  progress: number
}

/** The files that a person gives with the next message and that the memory does not know yet. */
export interface FileUploads {
  /** True for users who may upload. */
  isOffered: boolean
  uploads: readonly UploadingFile[]
  /** Adds files to the memory, one after the other; each is chosen for the message once it was read. */
  add: (files: readonly File[]) => void
  /** Does not wait for one any more; what the memory has of it by then stays there. */
  leave: (key: string) => void
}

/** Files that become items of the memory and are chosen for the next message of what is shown. */
export function useFileUploads({ viewKey, attached, isOff }: FileUploadsOptions): FileUploads {
  const text = useText('chat')
  const errorText = useErrorText()
  const sentenceText = useSentenceText()
  const mayUpload = can(useUser(), 'upload')
  const [uploads, setUploads] = useState<readonly UploadingFile[]>([])
  const leaving = useRef(new Map<string, AbortController>())
  /** The end of the last file that was begun: they are sent one after the other. */
  const lastSent = useRef<Promise<unknown>>(Promise.resolve())

  const attach = useEffectEvent((items: AttachedMedia[]) => attached.add(items))
  const complain = useEffectEvent((name: string, description: string) =>
    showToast({ tone: 'danger', title: text('files.failed', { name }), description }),
  )
  const leaveAll = useEffectEvent(() => {
    for (const one of leaving.current.values()) one.abort()
    setUploads([])
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is given belongs to the conversation that is shown
  useEffect(() => () => leaveAll(), [viewKey])

  const forget = (key: string) => {
    leaving.current.delete(key)
    setUploads((now) => now.filter((one) => one.key !== key))
  }

  const bring = async (file: File, key: string, signal: AbortSignal, isTurn: Promise<unknown>, endTurn: () => void) => {
    try {
      await isTurn
      signal.throwIfAborted()
      const onProgress = (sentBytes: number, total: number) => {
        const progress = Math.floor((sentBytes / Math.max(total, 1)) * 100)
        setUploads((now) => now.map((one) => (one.key === key ? { ...one, progress } : one)))
      }
      // most messages are written without a file
      const { uploadFile } = await import('../../../lib/api/uploads.ts')
      const { item } = await uploadFile(file, { keepPlace: false }, { onProgress, signal })
      endTurn()
      const read = await whenRead(item.id, signal)
      if (read === null) complain(file.name, text('files.takesLong'))
      else if (read.processing_status === 'failed') complain(file.name, sentenceText(read.error ?? '', read.error_told))
      else attach([attachedOf(read)])
    } catch (error) {
      if (!signal.aborted) complain(file.name, errorText(error))
    } finally {
      endTurn()
      forget(key)
    }
  }

  return {
    isOffered: mayUpload && !isOff,
    uploads,
    add(files) {
      const room = MESSAGE_MAX_MEDIA - attached.media.length - uploads.length
      if (files.length > room) {
        showToast({ tone: 'warning', title: text('attach.tooMany', { max: MESSAGE_MAX_MEDIA }) })
      }
      for (const file of files.slice(0, Math.max(room, 0))) {
        const key = randomUuid()
        const controller = new AbortController()
        leaving.current.set(key, controller)
        setUploads((now) => [...now, { key, name: file.name, progress: 0 }])
        const { promise, resolve } = Promise.withResolvers<void>()
        void bring(file, key, controller.signal, lastSent.current, resolve)
        lastSent.current = promise
      }
    },
    leave(key) {
      leaving.current.get(key)?.abort()
      forget(key)
    },
  }
}

/** An item once nothing more is found in it, or null after a long time; a connection that is away for a while is waited for. */
async function whenRead(id: string, signal: AbortSignal): Promise<MediaDetailJson | null> {
  const endsAt = performance.now() + READ_TIMEOUT_MS
  for (;;) {
    const item = await call('GET /media/:id', { params: { id }, signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.isTemporary) return null
      throw error
    })
    if (item?.processing_status === 'completed' || item?.processing_status === 'failed') return item
    if (item !== null && performance.now() > endsAt) return null
    await pause(LOOK_EVERY_MS, signal)
    signal.throwIfAborted()
  }
}

interface FileUploadsOptions {
  /** Changes when another conversation is shown. */
  viewKey: string
  /** Items chosen for the message; files join them once they're read. */
  attached: { media: readonly AttachedMedia[]; add: (items: readonly AttachedMedia[]) => void }
  /** True where nothing is to be stored. */
  isOff: boolean
}

/** Handles dropped or pasted files: pictures go to the model; everything else becomes an item of the memory first. */
export function useGivenFiles({
  files,
  pictures,
}: {
  files: Pick<FileUploads, 'isOffered' | 'add'>
  pictures: Pick<ChosenPictures, 'add'>
}) {
  const [isDropTarget, setIsDropTarget] = useState(false)

  const take = (fileList: File[]) => {
    const isForMemory = ({ type }: File) => files.isOffered && !type.startsWith('image/')
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
        take(dropped)
      },
    },
    handlePaste(event: ClipboardEvent<HTMLTextAreaElement>) {
      const pasted = pastedFiles(event.clipboardData)
      if (pasted.length === 0) return
      event.preventDefault()
      take(pasted)
    },
  }
}
