import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { pushState, turnPushOff, turnPushOn } from '../../lib/device-push.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'
import { Switch } from '../../ui/switch.tsx'

const queryKey = ['push', 'device']

/** Has this device told of reminders, long uploads and answers while no page is open; kept for this device, at once. */
export function PushSwitch({ className }: { className?: string }) {
  const text = useText('settings')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const { data: state } = useQuery({ queryKey, queryFn: pushState, staleTime: 0 })
  const change = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? turnPushOn() : turnPushOff()),
    onSuccess: (now) => queryClient.setQueryData(queryKey, now),
    onError: (error) => {
      console.error('Push messages could not be turned on or off', error)
      showToast({ tone: 'danger', title: text('push.failed'), description: errorText(error, text('push.failedText')) })
    },
  })
  const cannot = state === 'unsupported' || state === 'denied'
  return (
    <Switch
      label={text('push.label')}
      description={text(
        state === 'unsupported' ? 'push.unsupported' : state === 'denied' ? 'push.denied' : 'push.text',
      )}
      checked={change.isPending ? change.variables : state === 'on'}
      disabled={state === undefined || cannot || change.isPending}
      onCheckedChange={(isChecked) => change.mutate(isChecked)}
      className={className}
    />
  )
}
