import { createConversation } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'
import { upload } from './support/library.ts'

test('the first steps are ticked automatically, hidden on every device, and shown again from the help menu', async ({
  userPage,
  account,
  server,
  openPageAs,
}) => {
  await userPage.goto('/dashboard')
  const steps = userPage.getByRole('list', { name: 'First steps' })
  await expect(steps.getByRole('listitem')).toHaveText([
    'Upload three files (0 of 3)',
    'Find one of them again',
    'Ask about it',
  ])
  await expect(steps.getByLabel('Done')).toHaveCount(0)
  await expectAccessible(userPage)
  await steps.getByRole('link', { name: 'Find one of them again' }).click()
  await expect(userPage).toHaveURL(/\/memory$/)

  await upload(server, account, 'lease.txt', 'The notice period is three months.')
  await createConversation(server, account, 'What is a lease?')
  await userPage.goto('/dashboard')
  await expect(steps.getByRole('listitem').filter({ hasText: 'Ask about it' }).getByLabel('Done')).toBeVisible()

  await userPage.getByRole('button', { name: 'Hide checklist' }).click()
  await expect(steps).toHaveCount(0)
  const other = await openPageAs(account)
  await other.goto('/dashboard')
  await expect(other.getByRole('heading', { name: 'System Health' })).toBeVisible()
  await expect(other.getByRole('list', { name: 'First steps' })).toHaveCount(0)

  await userPage.getByRole('button', { name: 'Help', exact: true }).click()
  await userPage.getByRole('menuitem', { name: 'First steps' }).click()
  await expect(steps).toBeVisible()
  await userPage.getByRole('button', { name: 'Help', exact: true }).click()
  await userPage.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await expect(userPage.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

test('the first steps of an administrator lead to the settings of the server', async ({ adminPage }) => {
  await adminPage.goto('/dashboard')
  const steps = adminPage.getByRole('list', { name: 'First steps' })
  await expect(steps.getByRole('listitem')).toHaveCount(7)
  await steps.getByRole('link', { name: 'Make the first backup' }).click()
  await expect(adminPage).toHaveURL(/\/admin\?tab=settings#backups$/)
  await expect(adminPage.getByRole('heading', { name: 'Backups', exact: true })).toBeInViewport()
  // also when the settings are cached and the page was scrolled elsewhere
  await adminPage.goto('/dashboard')
  await steps.getByRole('link', { name: 'Download models to this computer (optional)' }).click()
  await expect(adminPage.getByRole('heading', { name: 'Models on this server' })).toBeInViewport()
})

test('a user who may only chat sees the step “Ask a question” instead of “Ask about it”', async ({
  server,
  openPageAs,
}) => {
  const guest = await server.createAccount({ can_upload: false, can_use_agents: false })
  const page = await openPageAs(guest)
  await page.goto('/dashboard')
  await expect(page.getByRole('list', { name: 'First steps' }).getByRole('listitem')).toHaveText(['Ask a question'])
})

test('an empty chat suggests questions about the user’s items', async ({ userPage, account, server }) => {
  const form = new FormData()
  form.set('file', new Blob(['The notice period is three months.\n'], { type: 'text/markdown' }), 'lease.md')
  form.set('wait', '60')
  const response = await fetch(`${server.url}/api/media/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.token}` },
    body: form,
  })
  expect(response.status).toBe(201)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await userPage.route('**/api/media/library?*', (route) => released.then(() => route.continue()))
  await userPage.goto('/chat')
  await expect(userPage.getByText('Searchable history')).toBeVisible()
  const greeting = userPage
    .locator('main')
    .getByRole('heading', { level: 2 })
    .filter({ hasText: account.user.full_name! })
  const before = await greeting.boundingBox()
  release()
  await expect(userPage.getByRole('button', { name: 'What does “lease.md” say?' })).toBeVisible()
  // suggestions that arrive later don't move the greeting
  expect(await greeting.boundingBox()).toEqual(before)
  await userPage.getByRole('button', { name: 'What does “lease.md” say?' }).click()
  await expect(userPage.getByRole('textbox', { name: 'Message' })).toHaveValue('What does “lease.md” say?')
  await expect(userPage.getByRole('textbox', { name: 'Message' })).toBeFocused()
  await expectAccessible(userPage)
})

test('users other than administrators see no names of variables', async ({ userPage, adminPage }) => {
  for (const page of [userPage, adminPage]) {
    await page.goto('/dashboard')
    await expect(page.getByRole('term').filter({ hasText: 'AI Service' })).toBeVisible()
  }
  await expect(userPage.locator('main')).not.toContainText(/[A-Z]+_[A-Z_]+|https?:/)
  await expect(userPage.getByText('Only administrators can see the details.')).toBeVisible()
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('the first steps pass axe and don’t overflow', async ({ adminPage }) => {
      await adminPage.goto('/dashboard')
      await expect(adminPage.getByRole('list', { name: 'First steps' })).toBeVisible()
      await expectAccessible(adminPage)
      expect(await adminPage.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })
  })
}
