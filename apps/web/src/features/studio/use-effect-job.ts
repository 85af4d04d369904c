import type { EffectName, EffectResult, RecipeSteps } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { applyBatch, applyEffects } from '../../lib/api/effects.ts'
import { randomUuid } from '../../lib/browser/random-uuid.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../lib/loading/event-stream.ts'
import { showToast } from '../../ui/show-toast.ts'
import { useCurrentIfMounted } from '../../ui/use-close-if-mounted.ts'
import { galleryQuery } from './effects-queries.ts'
import { inputOf, type PictureSource } from './source.ts'

/** A running job. */
export interface EffectJob {
  requestId: string
  /** Overall progress, 0 to 1; null until the server's first event. */
  progress: number | null
  /** Effect being applied. */
  effectName: string | null
  doneCount: number
  total: number
}

/** Job for a picture: a recipe of stacked effects, or a batch with a result for each effect. */
export type EffectTask =
  | { kind: 'recipe'; steps: RecipeSteps }
  | { kind: 'batch'; names: readonly EffectName[]; intensity: number }

/** A result with its recipe, so that it can be repeated. */
export interface StudioPicture {
  result: EffectResult
  steps: RecipeSteps
}

/** Applies effects with progress and cancellation; a job continues while another tab or page is shown. */
export function useEffectJob(onResults: (images: StudioPicture[]) => void) {
  const text = useText('effects')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [job, setJob] = useState<EffectJob | null>(null)
  const runningController = useRef<AbortController | null>(null)

  // Jobs continue when the user leaves the page; their results are then found in the gallery.
  const isPageShown = useCurrentIfMounted(true)

  useUserEvents((event) => {
    if (event.type !== 'effect.progress') return
    const { request_id: requestId, effect_name: effectName, done: doneCount, total, progress } = event
    setJob((current) =>
      current?.requestId === requestId
        ? {
            requestId,
            effectName,
            doneCount,
            total,
            progress: Math.min(1, (doneCount + (doneCount < total ? progress : 0)) / total),
          }
        : current,
    )
  })

  const run = async (source: PictureSource, task: EffectTask, options: Parameters<typeof applyEffects>[2]) => {
    if (task.kind === 'recipe') {
      const result = await applyEffects(inputOf(source), task.steps, options)
      return result === null ? [] : [{ result, steps: task.steps }]
    }
    const { names, intensity } = task
    const results = await applyBatch(inputOf(source), names, intensity, options)
    return results.map((result) => ({
      result,
      steps: [{ effect_name: result.effect_name as EffectName, intensity }],
    }))
  }

  /** Reports the outcome in toasts, for when the results aren't on screen. */
  const notifyElsewhere = (images: readonly StudioPicture[]) => {
    const failed = images.filter(({ result }) => result.download_id === null).length
    const count = images.length - failed
    if (count > 0) showToast({ tone: 'success', title: text('results.announced', { count }) })
    if (failed > 0) showToast({ tone: 'danger', title: text('results.failed', { count: failed }) })
  }

  return {
    job,
    async start(source: PictureSource, task: EffectTask, prompt: string | null): Promise<void> {
      runningController.current?.abort()
      const controller = new AbortController()
      runningController.current = controller
      const requestId = randomUuid()
      const total = task.kind === 'batch' ? task.names.length : task.steps.length
      setJob({ requestId, progress: null, effectName: null, doneCount: 0, total })
      try {
        const images = await run(source, task, { prompt, requestId, signal: controller.signal })
        if (runningController.current !== controller) return
        onResults(images)
        if (!isPageShown.current) notifyElsewhere(images)
      } catch (error) {
        if (controller.signal.aborted) return
        console.error('Effects could not be applied', error)
        showToast({ tone: 'danger', title: errorText(error, text('failed')) })
      } finally {
        if (runningController.current === controller) {
          runningController.current = null
          setJob(null)
        }
        // Even a batch that was stopped may have results.
        void queryClient.invalidateQueries({ queryKey: galleryQuery.queryKey })
      }
    },
    /** Stops the job here and on the server. */
    cancel(): void {
      runningController.current?.abort()
      runningController.current = null
      setJob(null)
    },
  }
}
