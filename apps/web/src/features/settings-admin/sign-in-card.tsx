import { useQuery } from '@tanstack/react-query'
import { fetchSignInWays } from '../../api/sign-in.ts'
import type { AdminSettingsCard } from '../../lib/admin-settings-path.ts'
import { useText } from '../../lib/i18n.ts'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import type { SettingsFields } from './use-settings-form.ts'

const HOUR = 60
const DAY = 24 * HOUR
const idleChoices = [15, 30, HOUR, 8 * HOUR, DAY, 7 * DAY, 14 * DAY]

/** Sign-in methods, and the time after which idle sessions end. */
export function SignInCard({ fields }: { fields: SettingsFields }) {
  const text = useText('settings-admin')
  const { data: ways } = useQuery({ queryKey: ['sign-in-ways'], queryFn: ({ signal }) => fetchSignInWays(signal) })
  const signIn = fields.form.sign_in
  const change = (changed: Partial<typeof signIn>) => fields.change({ sign_in: { ...signIn, ...changed } })
  const name = (minutes: number) => {
    if (minutes % DAY === 0) return text('signIn.days', { count: minutes / DAY })
    if (minutes % HOUR === 0) return text('signIn.hours', { count: minutes / HOUR })
    return text('signIn.minutes', { count: minutes })
  }
  // scripts may have set another one
  const { idle_minutes: chosen } = signIn
  const choices = [...new Set([...idleChoices, ...(chosen === null ? [] : [chosen])])].sort((one, two) => one - two)
  return (
    <Card id={'signIn' satisfies AdminSettingsCard} className="scroll-mt-40">
      <CardHeader title={text('signIn.title')} />
      <div className="flex flex-col gap-4">
        <Select
          label={text('signIn.idle')}
          hint={text('signIn.idleHint')}
          options={[
            ...choices.map((minutes) => ({ value: String(minutes), label: name(minutes) })),
            { value: 'never', label: text('signIn.never') },
          ]}
          value={String(chosen ?? 'never')}
          onValueChange={(value) => change({ idle_minutes: value === 'never' ? null : Number(value) })}
        />
        <Switch
          label={text('signIn.passwords')}
          description={text('signIn.passwordsHint')}
          checked={signIn.passwords}
          onCheckedChange={(passwords) => change({ passwords })}
        />
        {ways?.oidc && (
          <Switch
            label={text('signIn.accounts')}
            description={text('signIn.accountsHint')}
            checked={signIn.oidc_creates_accounts}
            onCheckedChange={(oidc_creates_accounts) => change({ oidc_creates_accounts })}
          />
        )}
      </div>
    </Card>
  )
}
