// @vitest-environment happy-dom
import type { AdminSettingsResponseJson, MeJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { route } from '../../../../test/routes.ts'
import { session } from '../../../lib/session/session.ts'
import { useSettingsForm } from './use-settings-form.ts'

const responseWith = (trash_days: number) =>
  ({
    decided: [],
    settings: {
      ...{ assistant_name: 'Mira', engines: {}, limits: { upload_bytes: 1_048_576, storage_bytes_per_user: null } },
      sign_in: { idle_minutes: 60, passwords: true, oidc_creates_accounts: false },
      retention: {
        ...{ activity_days: null, agent_run_days: 365, notification_days: 90, automation_run_days: 365 },
        ...{ audit_days: 365, trash_days, backups_kept: 7 },
      },
      backups: { every: 'week', weekday: 7, at: '03:30', time_zone: 'Europe/Madrid' },
      ...{ news_feeds: [], allows_remote_fine_tuning: true, allows_own_mcp_servers: true },
    },
  }) as unknown as AdminSettingsResponseJson

function NameForm() {
  const { fields } = useSettingsForm()
  return (
    fields && (
      <>
        <input
          aria-label="Name"
          value={fields.form.assistant_name}
          onChange={(event) => fields.change({ assistant_name: event.target.value })}
        />
        <button type="button" onClick={fields.submit}>
          Save
        </button>
      </>
    )
  )
}

test('saving keeps what another administrator has saved since the form was loaded', async () => {
  session.state.set({ status: 'signed-in', user: { id: 'admin' } as MeJson })
  route('GET /admin/settings').mockResolvedValueOnce(responseWith(30)).mockResolvedValue(responseWith(7))
  const save = route('PUT /admin/settings').mockResolvedValue(responseWith(7))
  const { user } = await renderPart(<NameForm />)
  await user.type(await screen.findByLabelText('Name'), '2')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await vi.waitFor(() => expect(save).toHaveBeenCalled())
  expect(save).toHaveBeenCalledWith({ json: { ...responseWith(7).settings, assistant_name: 'Mira2' } })
})
