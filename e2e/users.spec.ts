import type { UserJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import type { TestServer } from './support/server.ts'

const cardOf = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

async function openUsers(page: Page, search: string) {
  await page.goto('/admin')
  await page.getByRole('searchbox').fill(search)
}

async function userNamed(server: TestServer, username: string): Promise<UserJson | undefined> {
  const users = await server.call<UserJson[]>('GET', `/admin/users?query=${username}`, { token: server.admin.token })
  return users.find((user) => user.username === username)
}

test('the admin panel has four tabs, which are kept in the URL', async ({ adminPage }) => {
  await adminPage.goto('/admin')
  await expect(adminPage.getByRole('tab')).toHaveText(['User Management', 'System Overview', 'Settings', 'Audit Log'])
  await adminPage.getByRole('tab', { name: 'System Overview' }).click()
  await expect(adminPage).toHaveURL(/\?tab=system$/)
  await expectAccessible(adminPage)
})

test('a user is created with the defaults of the form and listed immediately', async ({ adminPage, server }) => {
  await openUsers(adminPage, 'marie.curie')
  await expect(adminPage.getByRole('heading', { name: 'No users found' })).toBeVisible()
  await adminPage.getByRole('button', { name: 'Create User' }).click()
  const dialog = adminPage.getByRole('dialog', { name: 'Create User' })
  await expect(dialog.getByLabel('Username')).toBeFocused()
  await expect(dialog.getByLabel('Role')).toHaveValue('user')
  await expect(dialog.getByRole('switch', { checked: true })).toHaveAccessibleName('Can chat')
  await expectAccessible(adminPage)

  await dialog.getByRole('button', { name: 'Create User' }).click()
  await expect(dialog.getByText('Enter a username.')).toBeVisible()
  await expect(dialog.getByLabel('Username')).toBeFocused()

  await dialog.getByLabel('Username').fill('marie.curie')
  await dialog.getByLabel('Email').fill('marie@example.org')
  await dialog.getByLabel('Full Name').fill('Marie Curie')
  await dialog.getByLabel('Password', { exact: true }).fill('radium-violin-meadow-7')
  await dialog.getByRole('button', { name: 'Create User' }).click()
  await expect(dialog).toHaveCount(0)

  const card = cardOf(adminPage, 'Marie Curie')
  await expect(card).toContainText('marie@example.org')
  await expect(card).toContainText('User')
  await expect(card).toContainText('Never')
  await expect(card.getByRole('switch', { checked: true })).toHaveAccessibleName('Chat')
  expect(await userNamed(server, 'marie.curie')).toMatchObject({
    role: 'user',
    can_chat: true,
    can_upload: false,
    can_use_voice: false,
    can_use_agents: false,
    is_active: true,
  })
})

test('errors about a new user are shown in the dialog, which keeps its input', async ({ adminPage, account }) => {
  await adminPage.goto('/admin')
  await adminPage.getByRole('button', { name: 'Create User' }).click()
  const dialog = adminPage.getByRole('dialog')
  await dialog.getByLabel('Username').fill(account.user.username)
  await dialog.getByLabel('Email').fill('another@example.org')
  await dialog.getByLabel('Password', { exact: true }).fill('radium-violin-meadow-7')
  await dialog.getByRole('button', { name: 'Create User' }).click()
  await expect(dialog.getByText(/is taken/)).toBeVisible()
  await expect(dialog.getByLabel('Username')).toBeFocused()
  await expect(dialog.getByLabel('Email')).toHaveValue('another@example.org')
  await expectAccessible(adminPage)

  await dialog.getByLabel('Username').fill('somebody-new')
  await dialog.getByLabel('Password', { exact: true }).fill('password12345')
  await dialog.getByRole('button', { name: 'Create User' }).click()
  await expect(dialog.getByText(/too easy to guess/)).toBeVisible()

  await adminPage.route('**/api/admin/users', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await dialog.getByRole('button', { name: 'Create User' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Failed to create user')
})

test('a click on the badge or on a switch sends only the changed field', async ({ adminPage, account, server }) => {
  await openUsers(adminPage, account.user.username)
  const card = cardOf(adminPage, account.user.full_name!)
  const sent = adminPage.waitForRequest((request) => request.method() === 'PUT')
  await card.getByRole('button', { name: 'Active' }).click()
  expect((await sent).postDataJSON()).toEqual({ is_active: false })
  await expect(card.getByRole('button', { name: 'Inactive' })).toBeVisible()

  // Two quick changes don't undo each other.
  await card.getByRole('switch', { name: 'Upload' }).uncheck()
  await card.getByRole('switch', { name: 'Voice' }).uncheck()
  await expect
    .poll(() => userNamed(server, account.user.username))
    .toMatchObject({ is_active: false, can_chat: true, can_upload: false, can_use_voice: false, can_use_agents: true })
  await expect(card.getByRole('switch', { checked: true })).toHaveCount(2)
})

test('a failed change is reverted and reported', async ({ adminPage, account }) => {
  await openUsers(adminPage, account.user.username)
  const card = cardOf(adminPage, account.user.full_name!)
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await adminPage.route('**/api/admin/users/*', async (route) => {
    await released
    await route.fulfill({ status: 500, json: { detail: 'Internal server error', code: 'internal_error' } })
  })
  await card.getByRole('switch', { name: 'Chat' }).click()
  await expect(card.getByRole('switch', { name: 'Chat' })).not.toBeChecked()
  release()
  await expect(card.getByRole('switch', { name: 'Chat' })).toBeChecked()
  await expect(adminPage.getByText(`${account.user.full_name} couldn’t be changed`, { exact: true })).toBeVisible()
  await expectAccessible(adminPage)
})

test('the last administrator can’t be deactivated, and a message says why', async ({ adminPage, server }) => {
  // other tests on this server may have made administrators
  const token = server.admin.token
  for (const user of await server.call<UserJson[]>('GET', '/admin/users?limit=500', { token })) {
    if (user.role !== 'admin' || user.id === server.admin.user.id) continue
    await server.call('PUT', `/admin/users/${user.id}`, {
      token,
      body: { ...user, role: 'user', current_password: server.admin.password },
    })
  }
  await openUsers(adminPage, server.admin.user.username)
  const card = cardOf(adminPage, 'admin')
  await expect(card.getByRole('button', { name: /Delete/ })).toHaveCount(0)
  await card.getByRole('button', { name: 'Active' }).click()
  const question = adminPage.getByRole('alertdialog')
  await expect(question).toContainText('Deactivate your own account?')
  await question.getByRole('button', { name: 'Deactivate' }).click()
  await expect(adminPage.getByRole('listitem').filter({ hasText: 'is the last active administrator' })).toBeVisible()
  await expect(card.getByRole('button', { name: 'Active' })).toBeVisible()
})

test('a user is edited, with a new password that signs them out', async ({ adminPage, account, server }) => {
  await openUsers(adminPage, account.user.username)
  await adminPage.getByRole('button', { name: `Edit ${account.user.full_name}` }).click()
  const dialog = adminPage.getByRole('dialog', { name: 'Edit User' })
  await expect(dialog.getByLabel('Email')).toHaveValue(account.user.email)
  await dialog.getByLabel('Full Name').fill('Edited Person')
  await dialog.getByLabel('Role').selectOption('Guest')
  await dialog.getByLabel('New Password').fill('radium-violin-meadow-7')
  await dialog.getByLabel('Your own password').fill(server.admin.password)
  await expectAccessible(adminPage)
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(cardOf(adminPage, 'Edited Person')).toContainText('Guest')
  await expect(server.call('GET', '/auth/me', { token: account.token })).rejects.toThrow('401')
})

test('a user is moved to the trash after a confirmation, restored, and deleted permanently from there', async ({
  openPageAs,
  account,
  server,
}) => {
  const adminPage = await openPageAs(await server.signInAdmin())
  await openUsers(adminPage, account.user.username)
  const card = cardOf(adminPage, account.user.full_name!)
  const remove = card.getByRole('button', { name: `Delete ${account.user.full_name}` })
  await remove.click()
  const question = adminPage.getByRole('alertdialog', { name: 'Are you sure you want to delete this user?' })
  await expect(question).toBeVisible()
  await expectAccessible(adminPage)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(card).toBeVisible()
  await remove.click()
  await question.getByRole('button', { name: 'Delete user' }).click()
  await expect(card).toHaveCount(0)
  expect(await userNamed(server, account.user.username)).toBeUndefined()
  await expect(server.call('GET', '/auth/me', { token: account.token })).rejects.toThrow('401')

  const trash = adminPage.getByRole('button', { name: 'Trash', exact: true })
  await trash.click()
  const row = adminPage.getByRole('tabpanel').getByRole('listitem').filter({ hasText: account.user.full_name! })
  await expect(row).toContainText('7 days left')
  await expectAccessible(adminPage)
  await row.getByRole('button', { name: `Restore ${account.user.full_name}` }).click()
  await expect(row).toHaveCount(0)
  await trash.click()
  await expect(card).toBeVisible()
  await remove.click()
  await question.getByRole('button', { name: 'Delete user' }).click()
  await trash.click()
  await row.getByRole('button', { name: `Delete ${account.user.full_name} now` }).click()
  await adminPage.getByRole('alertdialog').getByRole('button', { name: 'Delete now' }).click()
  await expect(row).toHaveCount(0)
})

test('an administrator whose sign-in isn’t recent enters their password to delete a user', async ({
  adminPage,
  account,
  server,
}) => {
  const remove = new RegExp(`/api/admin/users/${account.user.id}(\\?|$)`)
  // as the server responds ten minutes after the sign-in
  await adminPage.route(remove, async (route) => {
    if (route.request().method() !== 'DELETE' || route.request().postDataJSON()?.current_password)
      return route.fallback()
    await route.fulfill({ status: 403, json: { detail: 'Confirm it is you.', code: 'confirmation_required' } })
  })
  await openUsers(adminPage, account.user.username)
  await adminPage.getByRole('button', { name: `Delete ${account.user.full_name}` }).click()
  await adminPage.getByRole('alertdialog').getByRole('button', { name: 'Delete user' }).click()
  const dialog = adminPage.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(server.admin.password)
  await expectAccessible(adminPage)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(cardOf(adminPage, account.user.full_name!)).toHaveCount(0)
  await expect.poll(() => userNamed(server, account.user.username)).toBeUndefined()
})

test('inviting an administrator asks for the password when the sign-in isn’t recent, and invites once', async ({
  adminPage,
  server,
}) => {
  const bodies: Record<string, unknown>[] = []
  await adminPage.route('**/api/admin/invitations', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const body = route.request().postDataJSON() as Record<string, unknown>
    bodies.push(body)
    if (body.current_password !== undefined) return route.fallback()
    await route.fulfill({ status: 403, json: { detail: 'Enter your password.', code: 'confirmation_required' } })
  })
  await adminPage.goto('/admin?tab=users')
  await adminPage.getByRole('button', { name: 'Invite' }).click()
  const form = adminPage.getByRole('dialog', { name: 'Invite someone' })
  await form.getByRole('textbox', { name: 'Email' }).fill('second@example.org')
  await form.getByRole('combobox', { name: 'Role' }).selectOption('admin')
  await form.getByRole('button', { name: 'Create link' }).click()
  const question = adminPage.getByRole('dialog', { name: 'Is it you?' })
  await question.getByLabel('Password', { exact: true }).fill(server.admin.password)
  await expectAccessible(adminPage)
  await question.getByLabel('Password', { exact: true }).press('Enter')
  await expect(adminPage.getByRole('dialog', { name: 'The invitation is ready' })).toBeVisible()
  await expect(question).toHaveCount(0)
  expect(bodies).toMatchObject([{ role: 'admin' }, { role: 'admin', current_password: server.admin.password }])
})

test('a long list of users is paginated', async ({ adminPage, server }) => {
  const pages = [
    { items: ['first', 'second'], cursor: 'next' },
    { items: ['third'], cursor: '' },
  ]
  await adminPage.route('**/api/admin/users?*', (route) => {
    const { items, cursor } = pages[route.request().url().includes('cursor=next') ? 1 : 0]!
    const users = items.map((name) => ({
      ...server.admin.user,
      id: crypto.randomUUID(),
      username: name,
      full_name: name,
    }))
    return route.fulfill({ json: users, headers: cursor ? { 'X-Next-Cursor': cursor } : {} })
  })
  await adminPage.goto('/admin')
  await expect(adminPage.getByText('The first 2 users')).toBeVisible()
  await adminPage.getByRole('button', { name: 'Load more' }).click()
  await expect(adminPage.getByText('3 users', { exact: true })).toBeVisible()
  await expect(adminPage.getByRole('button', { name: 'Load more' })).toHaveCount(0)
})

test('a list that fails to load shows an error and can be retried', async ({ adminPage }) => {
  await adminPage.route('**/api/admin/users?*', (route) =>
    route.fulfill({ status: 403, json: { detail: 'No.', code: 'forbidden' } }),
  )
  await adminPage.goto('/admin')
  const failure = adminPage.getByRole('alert')
  await expect(failure).toContainText('Couldn’t load')
  await expectAccessible(adminPage)
  await adminPage.unroute('**/api/admin/users?*')
  await failure.getByRole('button', { name: 'Retry' }).click()
  await expect(cardOf(adminPage, 'admin')).toBeVisible()
})
