import { RECIPE_NAME_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Save } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { saveRecipe } from '../../api/effects.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { recipesQuery } from './effects-queries.ts'
import { recipeOf, type StackStep } from './selection.ts'

/** Keeps the stack under a name; one of the same name is replaced. */
export function SaveRecipe({ steps }: { steps: readonly StackStep[] }) {
  const text = useText('effects')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const save = useMutation({
    mutationFn: (wanted: string) => saveRecipe(wanted, recipeOf({ steps })),
    onSuccess: async () => {
      setName('')
      await queryClient.invalidateQueries({ queryKey: recipesQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') save.mutate(name.trim())
  }
  return (
    <form onSubmit={submit} className="mt-3 flex flex-col gap-2 border-t border-border pt-4 sm:flex-row sm:items-end">
      <TextField
        label={text('recipe.name')}
        maxLength={RECIPE_NAME_MAX_CHARACTERS}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={save.isError ? errorText(save.error) : undefined}
        className="sm:max-w-72 sm:flex-1"
      />
      <Button type="submit" icon={<Save aria-hidden />} loading={save.isPending} disabled={name.trim() === ''}>
        {text('recipe.save')}
      </Button>
      {/* Seen in the list below; a notice would cover the button that applies on a phone. */}
      <p role="status" className="sr-only">
        {save.isSuccess && text('recipe.saved', { name: save.data.name })}
      </p>
    </form>
  )
}
