import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { fetchPreferences, updatePreferences } from '../../api/account.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'
import { Switch } from '../../ui/switch.tsx'

const preferencesQuery = queryOptions({ queryKey: ['preferences'], queryFn: ({ signal }) => fetchPreferences(signal) })

/** Lets answers that the person rated up go into training sets; kept with the account, at once. */
export function ShareAnswers({ className }: { className?: string }) {
  const text = useText('settings')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data } = useQuery(preferencesQuery)
  const save = useMutation({
    mutationFn: (isShared: boolean) => updatePreferences({ shares_answers: isShared }),
    onSuccess: (preferences) => queryClient.setQueryData(preferencesQuery.queryKey, preferences),
    onError: (error) => showToast({ tone: 'danger', title: errorText(error) }),
  })
  return (
    <Switch
      label={text('preferences.sharesAnswers')}
      description={text('preferences.sharesAnswersText')}
      checked={save.isPending ? save.variables : (data?.shares_answers ?? false)}
      disabled={data === undefined || save.isPending}
      onCheckedChange={(isChecked) => save.mutate(isChecked)}
      className={className}
    />
  )
}
