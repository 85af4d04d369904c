// @vitest-environment happy-dom
import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPart } from '../../../test/render-part.tsx'
import { route } from '../../../test/routes.ts'
import { ApiError } from '../../lib/api/client.ts'
import { loadTexts, watchLanguage } from '../../lib/i18n/i18n.ts'
import { settingsStore } from '../../lib/session/settings.ts'
import { triggerTask, useAutomationErrorText } from './automation-queries.ts'

function Failure({ error }: { error: unknown }) {
  return <p>{useAutomationErrorText()(error)}</p>
}

it('says in the user’s language why a task couldn’t be triggered', async () => {
  settingsStore.set({ ...settingsStore.get(), language: 'de' })
  await act(watchLanguage)
  await loadTexts('automation', 'errors')
  route('POST /automation/trigger').mockRejectedValue(
    new ApiError(409, { code: 'already_running', detail: 'This task is already running.' }),
  )
  await renderPart(<Failure error={await triggerTask('memory_update').catch((error: unknown) => error)} />)
  expect(screen.getByText(/^Die Aufgabe konnte nicht ausgelöst werden: Diese Aufgabe läuft schon/)).toBeTruthy()
})
