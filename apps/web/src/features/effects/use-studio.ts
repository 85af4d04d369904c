import type { EffectName, RecipeSteps } from '@mira/shared'
import { INTENSITY_DEFAULT } from '@mira/shared/constants/limits'
import { useEffect, useState } from 'react'
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
import type { PictureSource } from './source.ts'
import { asIntensity } from './studio-rules.ts'
import { type EffectTask, type StudioPicture, useEffectJob } from './use-effect-job.ts'
import { useSource } from './use-source.ts'

export type Studio = ReturnType<typeof useStudio>

/** Everything of the Create tab: the picture, what is chosen, what is being made and what was made. */
export function useStudio() {
  const picture = useSource()
  const [selection, setSelection] = useState(emptySelection)
  const [intensity, setIntensity] = useState(INTENSITY_DEFAULT)
  const [prompt, setPrompt] = useState('')
  const [made, setMade] = useState<readonly StudioPicture[]>([])
  const [shownId, setShownId] = useState<string | null>(null)
  const job = useEffectJob((images) => {
    setMade((before) => [...images, ...before])
    setShownId(images.find(({ result }) => result.download_id !== null)?.result.download_id ?? null)
  })

  const sourceKey = picture.source?.key ?? null
  const { cancel } = job
  // biome-ignore lint/correctness/useExhaustiveDependencies: results belong to their picture: another one, or none, begins anew
  useEffect(() => {
    cancel()
    setMade([])
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
    images: made.filter(({ result }) => result.download_id !== null),
    failures: made.filter(({ result }) => result.download_id === null),
    dismissFailures: () => setMade((before) => before.filter(({ result }) => result.download_id !== null)),
    /** The result that stands beside the picture. */
    shown: made.find(({ result }) => result.download_id !== null && result.download_id === shownId) ?? null,
    show: setShownId,
    forget: (id: string) => setMade((before) => before.filter(({ result }) => result.download_id !== id)),
  }
}
