import { IMAGE_MAX_BYTES, MESSAGE_MAX_IMAGES } from '@mira/shared/constants/limits'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { choosePictures, type RejectedPicture, readPicture } from '../conversation/choose-pictures.ts'
import type { OutgoingPicture } from '../conversation/conversation-state.ts'
import type { Drafts } from '../conversation/drafts.ts'

/** Longest side of a shrunk picture in pixels; no model sees more detail than this. */
const MAX_SIDE = 4096
const QUALITIES = [0.92, 0.8, 0.6]

/**
 * Shrinks a picture that is too large for a message to a JPEG on a white background; a picture that fits is returned
 * unchanged. Null if the browser can't read the picture, or if it's still too large.
 */
async function shrinkPicture(file: File): Promise<File | null> {
  if (file.size <= IMAGE_MAX_BYTES) return file
  const bitmap = await createImageBitmap(file).catch((error: unknown) => {
    console.warn('A large picture could not be read, so that it stays too large', error)
    return null
  })
  if (bitmap === null) return null
  try {
    for (const quality of QUALITIES) {
      const blob = await draw(bitmap, quality)
      if (blob !== null && blob.size <= IMAGE_MAX_BYTES) {
        return new File([blob], file.name.replace(/\.[^.]*$/, '.jpg'), { type: blob.type })
      }
    }
    return null
  } finally {
    bitmap.close()
  }
}

function draw(bitmap: ImageBitmap, quality: number): Promise<Blob | null> {
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return Promise.resolve(null)
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
}

/** Pictures chosen for the next message. */
export interface ChosenPictures {
  pictures: readonly OutgoingPicture[]
  /** Adds the files that can be attached; a toast explains each problem with the others. */
  add: (files: readonly File[]) => void
  remove: (url: string) => void
  clear: () => void
  /** Clears the list without revoking the URLs, which the sent message uses. */
  release: () => void
  /** Adds the pictures of a withdrawn message, up to the limit. */
  restore: (pictures: readonly OutgoingPicture[]) => void
}

/** Pictures chosen in a conversation, restored after a reload like the draft. */
export function usePictures(drafts: Drafts, sessionId: string | null, viewKey: string): ChosenPictures {
  const text = useText('chat')
  const format = useFormat()
  const [selection, setSelection] = useState<{ viewKey: string; pictures: readonly OutgoingPicture[] }>({
    viewKey,
    pictures: [],
  })
  if (selection.viewKey !== viewKey) setSelection({ viewKey, pictures: [] })
  const { pictures } = selection
  /** Pictures last stored in this browser, to write only changes. */
  const lastStored = useRef<{ viewKey: string; pictures: readonly OutgoingPicture[] } | null>(null)

  // When a new conversation gets its id, the view stays the same, so its pictures aren't read again.
  const readStored = useEffectEvent(() => drafts.pictures.read(sessionId))
  useEffect(() => {
    let isCurrent = true
    lastStored.current = null
    void readStored().then((stored) => {
      if (!isCurrent) return
      lastStored.current = { viewKey, pictures: stored }
      setSelection((now) =>
        now.viewKey === viewKey
          ? { viewKey, pictures: [...stored, ...now.pictures].slice(0, MESSAGE_MAX_IMAGES) }
          : now,
      )
    })
    return () => {
      isCurrent = false
    }
  }, [viewKey])

  useEffect(() => {
    if (
      lastStored.current?.viewKey !== viewKey ||
      selection.viewKey !== viewKey ||
      lastStored.current.pictures === pictures
    )
      return
    if (lastStored.current.pictures.length > 0 || pictures.length > 0) drafts.pictures.write(sessionId, pictures)
    lastStored.current = { viewKey, pictures }
  }, [drafts, sessionId, viewKey, selection, pictures])

  const reasonOf = (problem: RejectedPicture) => {
    if (problem.kind === 'too-many') return text('pictures.tooMany', { max: MESSAGE_MAX_IMAGES })
    if (problem.kind === 'not-image') return text('pictures.notImage', { name: problem.name })
    return text('pictures.tooLarge', { name: problem.name, max: format.bytes(IMAGE_MAX_BYTES) })
  }
  const set = (edit: (before: readonly OutgoingPicture[]) => readonly OutgoingPicture[]) =>
    setSelection((now) => (now.viewKey === viewKey ? { viewKey, pictures: edit(now.pictures) } : now))

  return {
    pictures,
    add(files) {
      const { accepted, problems } = choosePictures(files, pictures.length)
      for (const problem of problems) showToast({ tone: 'warning', title: reasonOf(problem) })
      const read = async (file: File) => {
        try {
          const shrunkFile = await shrinkPicture(file)
          if (shrunkFile !== null) return [await readPicture(shrunkFile)]
          showToast({ tone: 'warning', title: reasonOf({ kind: 'too-large', name: file.name }) })
        } catch (error) {
          console.error('A picture could not be read', error)
          showToast({ tone: 'danger', title: text('pictures.unreadable') })
        }
        return []
      }
      void Promise.all(accepted.map(read)).then((ready) =>
        set((before) => [...before, ...ready.flat()].slice(0, MESSAGE_MAX_IMAGES)),
      )
    },
    remove(url) {
      URL.revokeObjectURL(url)
      set((before) => before.filter((picture) => picture.url !== url))
    },
    clear() {
      for (const { url } of pictures) URL.revokeObjectURL(url)
      set(() => [])
    },
    release: () => set(() => []),
    restore: (returned) => set((before) => [...before, ...returned].slice(0, MESSAGE_MAX_IMAGES)),
  }
}
