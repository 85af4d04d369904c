import { expect, test } from './support/fixtures.ts'

test('a signed-in user reads the API documentation and tries a call under a strict content security policy', async ({
  userPage,
  account,
}) => {
  await userPage.goto('/api/docs')
  const operation = userPage.locator('#operations-Auth-getAuthMe')
  await operation
    .getByRole('button', { name: /\/api\/auth\/me/ })
    .first()
    .click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await expect(operation.locator('.live-responses-table')).toContainText(`"username": "${account.user.username}"`)
})
