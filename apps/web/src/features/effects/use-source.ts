import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { sourceItemQuery } from './effects-queries.ts'
import { type PictureSource, sourceOfItem } from './source.ts'
import { type PictureRejection, rejectionOf } from './studio-rules.ts'

/** The picture that effects are applied to, and how another is chosen. */
export interface SourceState {
  source: PictureSource | null
  /** Reason for rejecting the last files; null when they were accepted. */
  rejection: PictureRejection | 'several' | null
  /** A picture of the memory that is being fetched, or could not be. */
  item: { isLoading: boolean; error: unknown; hasNoPicture: boolean; retry: () => void } | null
  chooseFiles: (files: readonly File[]) => void
  chooseItem: (mediaId: string, frameNumber: number | null) => void
  remove: () => void
}

let lastFile = 0

/** A file is kept here; a picture of the memory stands in the address, which can be shared and opened again. */
export function useSource(): SourceState {
  const [params, setParams] = useSearchParams()
  const [picked, setPicked] = useState<{ file: File; key: string } | null>(null)
  const [rejection, setRejection] = useState<SourceState['rejection']>(null)
  const fileUrl = useSeenUrl(useObjectUrl(picked?.file ?? null))
  const mediaId = params.get('media')
  const frame = Number.parseInt(params.get('frame') ?? '', 10)
  const frameNumber = frame > 0 ? frame : null
  const { data, error, isPending, refetch } = useQuery({ ...sourceItemQuery(mediaId ?? ''), enabled: mediaId !== null })

  const source = useMemo<PictureSource | null>(() => {
    if (mediaId !== null) return data?.id === mediaId ? sourceOfItem(data, frameNumber) : null
    if (picked === null) return null
    const { file, key } = picked
    return { kind: 'file', key, name: file.name, sizeBytes: file.size, file, previewUrl: fileUrl }
  }, [mediaId, frameNumber, data, picked, fileUrl])

  const leaveItem = () => {
    if (mediaId === null) return
    setParams(
      (before) => {
        before.delete('media')
        before.delete('frame')
        return before
      },
      { replace: true },
    )
  }
  return {
    source,
    rejection,
    item:
      mediaId === null
        ? null
        : {
            isLoading: isPending,
            error,
            hasNoPicture: data !== undefined && source === null,
            retry: () => void refetch(),
          },
    chooseFiles(files) {
      const [file] = files
      if (!file) return
      const reason = files.length > 1 ? 'several' : rejectionOf(file)
      setRejection(reason)
      if (reason !== null) return
      lastFile += 1
      setPicked({ file, key: `file ${lastFile}` })
      leaveItem()
    },
    chooseItem(id, number) {
      setRejection(null)
      setPicked(null)
      setParams((before) => {
        before.delete('tab')
        before.set('media', id)
        if (number === null) before.delete('frame')
        else before.set('frame', String(number))
        return before
      })
    },
    remove() {
      setRejection(null)
      setPicked(null)
      leaveItem()
    },
  }
}

/** The address of a picture; null once it is known that this browser cannot show it. */
function useSeenUrl(url: string | null): string | null {
  const [unseen, setUnseen] = useState<string | null>(null)
  useEffect(() => {
    if (url === null) return
    const picture = new Image()
    picture.onerror = () => setUnseen(url)
    picture.src = url
    return () => {
      picture.onerror = null
    }
  }, [url])
  return url === unseen ? null : url
}

function useObjectUrl(file: File | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (file === null) return setUrl(null)
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
