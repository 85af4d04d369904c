import { useMutation } from '@tanstack/react-query'
import { updatePreferences } from '../../../api/account.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { session, useUser } from '../../../lib/session.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/show-toast.ts'

/** Lets new conversations begin with the model of this one, on every device of the person. */
export function BeginWith({ model, name }: { model: string | null; name: string | null }) {
  const text = useText('chat')
  const errorText = useErrorText()
  const wanted = useUser().preferences.model
  const save = useMutation({
    mutationFn: async () => {
      await updatePreferences({ model })
      await session.refresh()
    },
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
  })
  if (wanted === model) {
    return model === null ? null : <p className="text-13 text-muted">{text('model.isWanted')}</p>
  }
  return (
    <Button size="sm" className="self-start" loading={save.isPending} onClick={() => save.mutate()}>
      <span className="truncate">{text('model.want', { model: name ?? text('model.default') })}</span>
    </Button>
  )
}
