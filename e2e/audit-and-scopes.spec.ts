import { expect, expectAccessible, test } from './support/fixtures.ts'

test('the audit log is searched, filtered and exported', async ({ adminPage: page, server }) => {
  const account = await server.createAccount({ username: 'noether' })
  await page.goto('/admin?tab=audit')
  const log = page.getByRole('region', { name: 'Audit Log' })
  await log.getByRole('searchbox').fill(account.user.username)
  await expect(log.getByRole('listitem')).toHaveCount(2)
  const creation = log.getByRole('listitem').filter({ hasText: 'creates the account noether' })
  // the action's name in the CSV file is shown beside the sentence, so that it can be searched for
  await expect(creation).toContainText('account.created')
  await expectAccessible(page)

  await log.getByLabel('Outcome').selectOption('failed')
  await expect(log.getByText('No entries match this search.')).toBeVisible()
  await log.getByLabel('Outcome').selectOption('all')
  const download = page.waitForEvent('download')
  await log.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
})

test('an API token is created with the selected scopes, allows nothing else, and is revoked', async ({
  userPage: page,
  server,
}) => {
  await page.goto('/dashboard?tab=settings')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create an API token' })
  await expect(dialog.getByRole('checkbox', { checked: true })).toHaveAccessibleName(/^Read/)
  await expect(dialog.getByRole('checkbox', { name: /^Administration/ })).toHaveCount(0)
  await dialog.getByLabel('Name').fill('Photo import')
  await dialog.getByRole('checkbox', { name: /^Upload/ }).check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const created = page.getByRole('dialog', { name: 'Your new API token' })
  const token = (await created.locator('code').textContent()) ?? ''
  await created.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Read, Upload', { exact: true })).toBeVisible()

  const statusOf = async (method: string, path: string) =>
    (await fetch(`${server.url}/api${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status
  expect(await statusOf('GET', '/media/library')).toBe(200)
  // it lacks the scope, and no token can create tokens
  expect([await statusOf('POST', '/chat/message'), await statusOf('POST', '/auth/tokens')]).toEqual([403, 403])

  await page.getByRole('button', { name: 'Revoke Photo import' }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).last().click()
  await expect(page.getByText('“Photo import” was revoked', { exact: true })).toBeVisible()
  expect(await statusOf('GET', '/media/library')).toBe(401)
})
