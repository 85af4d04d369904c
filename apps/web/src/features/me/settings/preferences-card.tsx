import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { pushState, turnPushOff, turnPushOn } from '../../../lib/browser/device-push.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Switch } from '../../../ui/switch.tsx'
import type { SettingsDraft } from './use-settings-draft.ts'

const queryKey = ['push', 'device']

/** Push notifications for reminders, long uploads and answers while no page is open; saved immediately for this device. */
function PushSwitch({ className }: { className?: string }) {
  const text = useText('settings')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { id } = useUser()
  const { data: state } = useQuery({ queryKey, queryFn: () => pushState(id), staleTime: 0 })
  const change = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnPushOn(id) : turnPushOff(id)),
    onSuccess: (newState) => queryClient.setQueryData(queryKey, newState),
    onError: (error) => {
      console.error('Failed to change push notifications', error)
      showToast({ tone: 'danger', title: text('push.failed'), description: errorText(error, text('push.failedText')) })
    },
  })
  const isUnavailable = state === 'unsupported' || state === 'denied'
  const isRefused = typeof state === 'object'
  return (
    <Switch
      label={text('push.label')}
      description={
        isRefused
          ? text('push.refused', { status: String(state.refusedStatus) })
          : text(state === 'unsupported' ? 'push.unsupported' : state === 'denied' ? 'push.denied' : 'push.text')
      }
      checked={change.isPending ? change.variables : state === 'on' || isRefused}
      disabled={state === undefined || isUnavailable || change.isPending}
      onCheckedChange={(isChecked) => change.mutate(isChecked)}
      className={className}
    />
  )
}

const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => call('GET /me/preferences', { signal }),
})

/** Allows the use of answers that the user rated up in training sets; saved immediately for the account. */
function ShareAnswers({ className }: { className?: string }) {
  const text = useText('settings')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data } = useQuery(preferencesQuery)
  const save = useMutation({
    mutationFn: (isShared: boolean) =>
      call('PATCH /me/preferences', { json: { shares_answers: isShared }, keepalive: true }),
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

const names = ['notifications', 'enterSends', 'autoSave', 'dataSaver', 'analytics'] as const

/** Switches for automatic behaviour, each with an explanation. */
export function PreferencesCard({ draft: { settings, change } }: { draft: SettingsDraft }) {
  const text = useText('settings')
  return (
    <Card id="preferences" className="scroll-mt-40">
      <CardHeader title={text('preferences.title')} className="mb-2" />
      <div className="flex flex-col divide-y divide-border">
        {names.map((name) => (
          <Switch
            key={name}
            label={text(`preferences.${name}`)}
            description={text(`preferences.${name}Text`)}
            checked={settings[name]}
            onCheckedChange={(isChecked) => change({ [name]: isChecked })}
            className="py-3 last:pb-0"
          />
        ))}
        <PushSwitch className="py-3" />
        <ShareAnswers className="pt-3" />
      </div>
    </Card>
  )
}
