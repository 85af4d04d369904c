import type { EffectsAvailable, RecipeSteps } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { deleteRecipe, type SavedRecipe } from '../../api/effects.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Button } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { useEffectTexts } from './effect-texts.ts'
import { recipesQuery } from './effects-queries.ts'

/** The recipes that were kept, to be used again or deleted. */
export function SavedRecipes({ available, onUse }: SavedRecipesProps) {
  const text = useText('effects')
  const errorText = useErrorText()
  const effectTexts = useEffectTexts()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const recipes = useQuery(recipesQuery)

  const remove = async ({ id, name }: SavedRecipe) => {
    const isConfirmed = await confirm({
      question: text('recipe.deleteQuestion', { name }),
      confirmLabel: text('recipe.deleteConfirm'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    try {
      await deleteRecipe(id)
    } catch (error) {
      console.error('A recipe could not be deleted', error)
      showToast({ tone: 'danger', title: text('recipe.deleteFailed'), description: errorText(error) })
    }
    await queryClient.invalidateQueries({ queryKey: recipesQuery.queryKey })
  }
  if (recipes.isError) return <LoadFailed query={recipes} className="mt-4" />
  if (!recipes.data || recipes.data.length === 0) return null
  return (
    <section aria-labelledby="saved-recipes" className="mt-4 border-t border-border pt-4">
      <h3 id="saved-recipes" className="text-14 font-semibold">
        {text('recipe.list')}
      </h3>
      <ul className="mt-1 divide-y divide-border">
        {recipes.data.map((recipe) => (
          <li key={recipe.id} className="flex items-center gap-3 py-2">
            <div className="min-w-0 flex-1">
              <p className="truncate text-14 font-medium">{recipe.name}</p>
              <p className="truncate text-12 text-muted">
                {recipe.steps
                  .map(({ effect_name: name }) => effectTexts.name(name, available.effects[name]))
                  .join(' + ')}
              </p>
            </div>
            <Button
              size="sm"
              aria-label={text('recipe.useNamed', { name: recipe.name })}
              onClick={() => onUse(recipe.steps)}
            >
              {text('recipe.use')}
            </Button>
            <IconButton
              size="sm"
              variant="danger"
              name={text('recipe.delete', { name: recipe.name })}
              icon={<Trash2 aria-hidden />}
              onClick={() => void remove(recipe)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

type SavedRecipesProps = { available: EffectsAvailable; onUse: (steps: RecipeSteps) => void }
