import type { EffectName, RecipeSteps } from '@mira/shared'
import { RECIPE_MAX_STEPS } from '@mira/shared/constants/effects'
import { acceptedEffectExtensions, effectContentTypes } from '@mira/shared/constants/formats'
import {
  EFFECT_UPLOAD_MAX_BYTES,
  INTENSITY_DEFAULT,
  INTENSITY_MAX,
  INTENSITY_MIN,
  INTENSITY_STEP,
} from '@mira/shared/constants/limits'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { sourceItemQuery } from './effects-queries.ts'
import { type PictureSource, sourceOfItem } from './source.ts'
import { type EffectTask, type StudioPicture, useEffectJob } from './use-effect-job.ts'

/** Reason for rejecting a file. */
type PictureRejection = 'type' | 'too-large'

/** Reason for rejecting a file; null when it's accepted. */
export function rejectionOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): PictureRejection | null {
  // No ending: “WhatsApp Image at 10.15.33”.
  const ending = /\.([a-z]\w*)$/i.exec(name)?.[1]?.toLowerCase()
  const isKnown = ending === undefined ? effectContentTypes.includes(type) : acceptedEffectExtensions.includes(ending)
  if (!isKnown) return 'type'
  return size > EFFECT_UPLOAD_MAX_BYTES ? 'too-large' : null
}

/** Rounds an intensity to the slider's steps and clamps it to its range. */
export function asIntensity(value: number): number {
  const onStep = Math.round(value / INTENSITY_STEP) / Math.round(1 / INTENSITY_STEP)
  return Math.min(INTENSITY_MAX, Math.max(INTENSITY_MIN, onStep))
}

/** One effect, a result for each of several effects, or stacked effects. */
type SelectionMode = 'one' | 'batch' | 'stack'

/** Effect of a stack, with a key that stays the same when it's moved. */
export interface StackStep {
  key: number
  effect_name: EffectName
  intensity: number
}

/** Selected effects per mode; switching back and forth loses nothing. */
interface EffectSelection {
  mode: SelectionMode
  one: EffectName | null
  batch: readonly EffectName[]
  steps: readonly StackStep[]
  nextKey: number
}

export const emptySelection: EffectSelection = { mode: 'one', one: null, batch: [], steps: [], nextKey: 1 }

/**
 * Next selection after a press on an effect's card: selects or deselects it, toggles it in the batch, or adds it on top
 * of the stack.
 */
export function chooseEffect(selection: EffectSelection, name: EffectName, intensity: number): EffectSelection {
  const { mode, one, batch, steps, nextKey } = selection
  if (mode === 'one') return { ...selection, one: one === name ? null : name }
  if (mode === 'batch') {
    const isChosen = batch.includes(name)
    return { ...selection, batch: isChosen ? batch.filter((other) => other !== name) : [...batch, name] }
  }
  if (steps.length >= RECIPE_MAX_STEPS) return selection
  return { ...selection, steps: [...steps, { key: nextKey, effect_name: name, intensity }], nextKey: nextKey + 1 }
}

/** Changes the mode, and carries the selection over if the new mode has none yet. */
export function changeMode(selection: EffectSelection, mode: SelectionMode, intensity: number): EffectSelection {
  const names = chosenNames(selection)
  const next = { ...selection, mode }
  if (mode === 'one') return next.one === null ? { ...next, one: names[0] ?? null } : next
  if (mode === 'batch') return next.batch.length === 0 ? { ...next, batch: [...new Set(names)] } : next
  if (next.steps.length > 0) return next
  return names.reduce((built, name) => chooseEffect(built, name, intensity), next)
}

/** Effects selected in the current mode; a stack may have duplicates. */
export function chosenNames({ mode, one, batch, steps }: EffectSelection): readonly EffectName[] {
  if (mode === 'one') return one === null ? [] : [one]
  return mode === 'batch' ? batch : steps.map(({ effect_name: name }) => name)
}

/** Replaces the selection with a recipe: a stack, or a single effect. */
export function loadSteps(selection: EffectSelection, steps: RecipeSteps): EffectSelection {
  const [first] = steps
  if (steps.length === 1 && first) return { ...selection, mode: 'one', one: first.effect_name }
  return stackSteps(selection, steps)
}

/** Replaces the stack with a recipe. */
function stackSteps(selection: EffectSelection, steps: RecipeSteps): EffectSelection {
  const { nextKey } = selection
  const keyed = steps.map((step, index) => ({ ...step, key: nextKey + index }))
  return { ...selection, mode: 'stack', steps: keyed, nextKey: nextKey + steps.length }
}

/** Moves a step up (-1) or down (1), unless it's already the first or last. */
export function moveStep(selection: EffectSelection, key: number, by: -1 | 1): EffectSelection {
  const steps = [...selection.steps]
  const from = steps.findIndex((step) => step.key === key)
  const [step] = steps.slice(from, from + 1)
  const to = from + by
  if (!step || to < 0 || to >= steps.length) return selection
  steps.splice(from, 1)
  steps.splice(to, 0, step)
  return { ...selection, steps }
}

/** Removes a step from the stack. */
export function removeStep(selection: EffectSelection, key: number): EffectSelection {
  return { ...selection, steps: selection.steps.filter((step) => step.key !== key) }
}

/** Changes the intensity of one step. */
export function changeStepIntensity(selection: EffectSelection, key: number, intensity: number): EffectSelection {
  const change = (step: StackStep) => (step.key === key ? { ...step, intensity: asIntensity(intensity) } : step)
  return { ...selection, steps: selection.steps.map(change) }
}

/** The stack as a recipe for the server. */
export function recipeOf({ steps }: Pick<EffectSelection, 'steps'>): RecipeSteps {
  return steps.map(({ effect_name, intensity }) => ({ effect_name, intensity }))
}

/** Picture to apply effects to, with functions to choose another. */
interface SourceState {
  source: PictureSource | null
  /** Reason for rejecting the last files; null when they were accepted. */
  rejection: PictureRejection | 'several' | null
  /** Loading state of the item in the address; null when there's none. */
  item: { isLoading: boolean; error: unknown; hasNoPicture: boolean; retry: () => void } | null
  chooseFiles: (files: readonly File[]) => void
  chooseItem: (mediaId: string, frameNumber: number | null) => void
  remove: () => void
}

let lastFileNumber = 0

/** The chosen picture. A file is kept in the state, an item in the page's address, so that links to it work. */
function useSource(): SourceState {
  const [params, setParams] = useSearchParams()
  const [picked, setPicked] = useState<{ file: File; key: string } | null>(null)
  const [rejection, setRejection] = useState<SourceState['rejection']>(null)
  const fileUrl = useDisplayableUrl(useObjectUrl(picked?.file ?? null))
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
      lastFileNumber += 1
      setPicked({ file, key: `file ${lastFileNumber}` })
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

/** URL of a picture; null once it turns out that the browser can't display it. */
function useDisplayableUrl(url: string | null): string | null {
  const [failedUrl, setFailedUrl] = useState<string | null>(null)
  useEffect(() => {
    if (url === null) return
    const picture = new Image()
    picture.onerror = () => setFailedUrl(url)
    picture.src = url
    return () => {
      picture.onerror = null
    }
  }, [url])
  return url === failedUrl ? null : url
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

/** State of the Create tab: picture, selection, job and results. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: results belong to their picture; another picture starts over
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
    chosenNames: names,
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
    /** Selects a recipe again, and its item if there is one. */
    repeat(steps: RecipeSteps, mediaId: string | null, frameNumber: number | null = null) {
      setSelection((before) => loadSteps(before, steps))
      const [first] = steps
      if (steps.length === 1 && first) setIntensity(asIntensity(first.intensity))
      if (mediaId !== null) picture.chooseItem(mediaId, frameNumber)
    },
    job: job.job,
    cancel,
    apply: (source: PictureSource, promptText: string | null) => job.start(source, task(), promptText),
    /** Successful results for this picture, the newest first. */
    images: images.filter(({ result }) => result.download_id !== null),
    failures: images.filter(({ result }) => result.download_id === null),
    dismissFailures: () => setImages((before) => before.filter(({ result }) => result.download_id !== null)),
    /** Result shown with the picture. */
    shownImage: images.find(({ result }) => result.download_id !== null && result.download_id === shownId) ?? null,
    show: setShownId,
    forget: (id: string) => setImages((before) => before.filter(({ result }) => result.download_id !== id)),
  }
}
