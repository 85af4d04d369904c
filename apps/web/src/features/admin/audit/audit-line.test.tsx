// @vitest-environment happy-dom
import type { AuditEntryJson } from '@mira/shared'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { AuditLine } from './audit-tab.tsx'

const entry: AuditEntryJson = {
  ...{ id: '0198d9a0-0000-7000-8000-000000000001', created_at: '2026-11-20T10:00:00Z' },
  ...{ actor_id: null, actor_name: 'ada', address: '192.0.2.7', via: 'session', outcome: 'done' },
  ...{ action: 'sign_in', subject_id: null, subject_name: null, detail: {} },
}

const renderedLine = async (part: Partial<AuditEntryJson>) => {
  await renderPart(<AuditLine entry={{ ...entry, ...part }} />)
  return screen.getAllByRole('listitem').at(-1)?.textContent ?? ''
}

test('a line shows the user, the action, the method and the action’s name in the CSV file', async () => {
  const signedIn = await renderedLine({ detail: { method: 'passkey' } })
  expect(signedIn).toMatch(/^ada signs in.*192\.0\.2\.7.*With: Passkey.*sign_in/)
})

test('changed fields of an account are shown with the labels of its form', async () => {
  const detail = { changed: ['email', 'role', 'can_upload', 'password'], role: 'guest', can_upload: true }
  const text = await renderedLine({ action: 'account.updated', subject_name: 'ben', detail })
  expect(text).toMatch(/^ada changes the account ben/)
  expect(text).toContain('Changed: Email, Role (Guest), Can upload (yes), Password')
})

test('a signed-out user, an unknown name and a reason are shown in words', async () => {
  const failedSignIn = { action: 'sign_in.failed', actor_name: null, outcome: 'failed', via: 'none' } as const
  expect(await renderedLine(failedSignIn)).toMatch(/^Someone tries to sign in as an unknown name/)
  const refusedCall = { action: 'POST /api/auth/tokens', via: 'token', detail: { error: 'token_not_allowed' } } as const
  const text = await renderedLine({ ...refusedCall, outcome: 'failed' })
  expect(text).toMatch(/^ada calls POST \/api\/auth\/tokens.*Reason: An API token isn’t allowed to do this/)
})
