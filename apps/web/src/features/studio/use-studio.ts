import type { EffectName, RecipeSteps } from '@mira/shared'
import { INTENSITY_DEFAULT } from '@mira/shared/constants/limits'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { sourceItemQuery } from './effects-queries.ts'
import {
  changeMode,
  changeStepIntensity,
  chooseEffect,
  chosenNames,
  emptySelection,
  loadSteps,
  moveStep,
  recipeOf,
  removeStep,
  type SelectionMode,
  stackSteps,
} from './selection.ts'
import { type PictureSource, sourceOfItem } from './source.ts'
import { asIntensity, type PictureRejection, rejectionOf } from './studio-rules.ts'
import { type EffectTask, type StudioPicture, useEffectJob } from './use-effect-job.ts'

/** The picture that effects are applied to, and how another is chosen. */
interface SourceState {
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
function useSource(): SourceState {
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
    const objectUrl = URL.createObjectURL(file)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [file])
  return url
}

export type Studio = ReturnType<typeof useStudio>

/** Everything of the Create tab: the picture, what is chosen, what is being made and what was made. */
export function useStudio() {
  const picture = useSource()
  const [selection, setSelection] = useState(emptySelection)
  const [intensity, setIntensity] = useState(INTENSITY_DEFAULT)
  const [prompt, setPrompt] = useState('')
  const [images, setImages] = useState<readonly StudioPicture[]>([])
  const [shownId, setShownId] = useState<string | null>(null)
  const job = useEffectJob((images) => {
    setImages((before) => [...images, ...before])
    setShownId(images.find(({ result }) => result.download_id !== null)?.result.download_id ?? null)
  })

  const sourceKey = picture.source?.key ?? null
  const { cancel } = job
  // biome-ignore lint/correctness/useExhaustiveDependencies: results belong to their picture: another one, or none, begins anew
  useEffect(() => {
    cancel()
    setImages([])
    setShownId(null)
  }, [sourceKey])

  const names = chosenNames(selection)
  const task = (): EffectTask => {
    if (selection.mode === 'batch') return { kind: 'batch', names: selection.batch, intensity }
    if (selection.mode === 'stack') return { kind: 'recipe', steps: recipeOf(selection) }
    return { kind: 'recipe', steps: selection.one === null ? [] : [{ effect_name: selection.one, intensity }] }
  }
  return {
    picture,
    selection,
    chosen: names,
    intensity,
    setIntensity: (value: number) => setIntensity(asIntensity(value)),
    prompt,
    setPrompt,
    choose: (name: EffectName) => setSelection((before) => chooseEffect(before, name, intensity)),
    setMode: (mode: SelectionMode) => setSelection((before) => changeMode(before, mode, intensity)),
    loadStack: (steps: RecipeSteps) => setSelection((before) => stackSteps(before, steps)),
    moveStep: (key: number, by: -1 | 1) => setSelection((before) => moveStep(before, key, by)),
    removeStep: (key: number) => setSelection((before) => removeStep(before, key)),
    changeStepIntensity: (key: number, value: number) =>
      setSelection((before) => changeStepIntensity(before, key, value)),
    /** Chooses what a picture was made with; with an item of the memory that, too. */
    repeat(steps: RecipeSteps, mediaId: string | null) {
      setSelection((before) => loadSteps(before, steps))
      const [first] = steps
      if (steps.length === 1 && first) setIntensity(asIntensity(first.intensity))
      if (mediaId !== null) picture.chooseItem(mediaId, null)
    },
    job: job.job,
    cancel,
    apply: (source: PictureSource, words: string | null) => job.start(source, task(), words),
    /** Successful results for this picture, the newest first. */
    images: images.filter(({ result }) => result.download_id !== null),
    failures: images.filter(({ result }) => result.download_id === null),
    dismissFailures: () => setImages((before) => before.filter(({ result }) => result.download_id !== null)),
    /** The result that stands beside the picture. */
    shown: images.find(({ result }) => result.download_id !== null && result.download_id === shownId) ?? null,
    show: setShownId,
    forget: (id: string) => setImages((before) => before.filter(({ result }) => result.download_id !== id)),
  }
}
