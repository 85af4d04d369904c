import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { applyEffects, fetchRecipes, type SavedRecipe } from '../../lib/api/effects.ts'
import { randomUuid } from '../../lib/browser/random-uuid.ts'
import { LoadFailed } from '../../lib/components/query-list.tsx'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { effectImagesPath, paths } from '../../lib/session/paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Progress } from '../../ui/progress.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import type { GridItem } from './library-items.ts'

/** The first frame of a video, or the first page of a document. */
const FIRST_PART = 1

/** Applies a saved recipe to several items, one after the other. */
export function RecipeDialog({ items, onClose }: RecipeDialogProps) {
  const text = useText('gallery')
  const common = useText('app')
  const recipes = useQuery({
    queryKey: ['effects', 'recipes'],
    queryFn: ({ signal }) => fetchRecipes(signal),
  })
  const [chosenId, setChosenId] = useState<string | null>(null)
  const { doneCount, apply, stop } = useRecipe(onClose)
  const itemsWithPicture = items.filter(({ thumbnail }) => thumbnail !== null)
  const skippedCount = items.length - itemsWithPicture.length
  const savedRecipes = recipes.data ?? []
  const recipe = savedRecipes.find(({ id }) => id === chosenId) ?? savedRecipes[0]
  const close = () => {
    stop()
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && close()}
      title={text('recipe.title', { count: items.length })}
      closeLabel={common('common.close')}
      size="sm"
      onSubmit={() => recipe && void apply(recipe, itemsWithPicture)}
      footer={
        savedRecipes.length > 0 && (
          <>
            <Button onClick={close}>{doneCount === null ? common('common.cancel') : text('recipe.stop')}</Button>
            <Button
              variant="primary"
              type="submit"
              loading={doneCount !== null}
              disabled={recipe === undefined || itemsWithPicture.length === 0}
            >
              {text('recipe.apply')}
            </Button>
          </>
        )
      }
    >
      {recipes.isPending && (
        <LoadingRegion label={common('common.loading')}>
          <SkeletonText lines={2} />
        </LoadingRegion>
      )}
      {recipes.isLoadingError && <LoadFailed query={recipes} />}
      {recipes.data && savedRecipes.length === 0 && (
        <div className="flex flex-col items-start gap-4">
          <p className="text-14">{text('recipe.none')}</p>
          <Link to={paths.effects} className={buttonClass({ variant: 'primary' })}>
            {text('recipe.make')}
          </Link>
        </div>
      )}
      {recipe && (
        <Select
          label={text('recipe.choose')}
          hint={skippedCount > 0 ? text('recipe.left', { count: skippedCount }) : undefined}
          value={recipe.id}
          disabled={doneCount !== null}
          options={savedRecipes.map(({ id, name, steps }) => ({
            value: id,
            label: `${name} · ${text('recipe.steps', { count: steps.length })}`,
          }))}
          onValueChange={setChosenId}
        />
      )}
      {doneCount !== null && (
        <Progress
          className="mt-4"
          label={text('recipe.progress')}
          value={(100 * doneCount) / itemsWithPicture.length}
          detail={text('recipe.of', { done: doneCount, total: itemsWithPicture.length })}
        />
      )}
    </Dialog>
  )
}

/**
 * Applies a recipe to items one by one. `doneCount` is the number of items processed so far, null when idle. Results are added
 * to the gallery of effects.
 */
function useRecipe(onDone: () => void) {
  const text = useText('gallery')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const [doneCount, setDoneCount] = useState<number | null>(null)
  const [controller, setController] = useState(() => new AbortController())
  useEffect(() => () => controller.abort(), [controller])

  return {
    doneCount,
    stop: () => controller.abort(),
    async apply({ steps }: SavedRecipe, items: readonly GridItem[]): Promise<void> {
      const current = new AbortController()
      setController(current)
      setDoneCount(0)
      let failedCount = 0
      let madeCount = 0
      let firstError: unknown
      for (const { id, type } of items) {
        try {
          const input = { mediaId: id, frameNumber: type === 'image' ? null : FIRST_PART }
          const options = { prompt: null, requestId: randomUuid(), signal: current.signal }
          if ((await applyEffects(input, steps, options)) === null) failedCount += 1
          else madeCount += 1
        } catch (error) {
          if (current.signal.aborted) break
          console.error('A recipe could not be applied to an item', error)
          firstError ??= error
          failedCount += 1
        }
        setDoneCount(madeCount + failedCount)
      }
      setDoneCount(null)
      if (madeCount > 0) {
        showToast({
          tone: 'success',
          title: text('recipe.done', { count: madeCount }),
          action: { label: text('recipe.show'), onSelect: () => void navigate(effectImagesPath) },
        })
      }
      if (failedCount > 0) {
        const description = firstError === undefined ? undefined : errorText(firstError)
        showToast({ tone: 'danger', title: text('recipe.failed', { count: failedCount }), description })
      }
      if (!current.signal.aborted) onDone()
    },
  }
}

type RecipeDialogProps = { items: readonly GridItem[]; onClose: () => void }
