import type { AccessItemsResponseJson } from '@mira/shared'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const address = '/dashboard?tab=settings'

test('changing the password requires the current one and signs out every other device', async ({
  userPage,
  account,
  server,
}) => {
  const signIn = (password: string) =>
    fetch(`${server.url}/api/auth/login`, {
      method: 'POST',
      body: new URLSearchParams({ username: account.user.username, password }),
    })
  const { access_token: otherToken } = (await (await signIn(account.password)).json()) as { access_token: string }

  await userPage.goto(address)
  const submit = userPage.getByRole('button', { name: 'Change password' })
  await submit.click()
  await expect(userPage.getByText('Enter your current password.')).toBeVisible()

  await userPage.getByLabel('Current Password').fill('not the password')
  await userPage.getByLabel('New Password').fill('radium-violin-meadow-7')
  await submit.click()
  await expect(userPage.getByText('The current password is wrong.')).toBeVisible()
  await expect(userPage.getByLabel('Current Password')).toBeFocused()
  await expectAccessible(userPage)

  await userPage.getByLabel('Current Password').fill(account.password)
  await userPage.getByLabel('New Password').fill('password1234')
  await submit.click()
  await expect(userPage.getByText(/too easy to guess/)).toBeVisible()

  await userPage.getByLabel('New Password').fill('radium-violin-meadow-7')
  await submit.click()
  await expect(userPage.getByText('Password changed', { exact: true })).toBeVisible()
  await expect(userPage.getByLabel('Current Password')).toHaveValue('')
  expect((await signIn('radium-violin-meadow-7')).status).toBe(200)
  await expect(server.call('GET', '/auth/me', { token: otherToken })).rejects.toThrow('401')
  await userPage.reload()
  await expect(userPage).toHaveURL(/tab=settings$/)
})

test('lists other signed-in devices and signs them out', async ({ userPage, account, server }) => {
  const signIn = async (userAgent: string) => {
    const response = await fetch(`${server.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'user-agent': userAgent },
      body: new URLSearchParams({ username: account.user.username, password: account.password }),
    })
    return ((await response.json()) as { access_token: string }).access_token
  }
  const curlToken = await signIn('curl/8.5.0')
  const phoneToken = await signIn('Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0')

  await userPage.goto(address)
  await expect(userPage.getByText('This device', { exact: true })).toHaveCount(1)
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: 'Sign out curl' }).click()
  await expect(userPage.getByText('Device signed out', { exact: true })).toBeVisible()
  await expect(server.call('GET', '/auth/me', { token: curlToken })).rejects.toThrow('401')
  await server.call('GET', '/auth/me', { token: phoneToken })

  await userPage.getByRole('button', { name: 'Sign out all others' }).click()
  await userPage.getByRole('alertdialog').getByRole('button', { name: 'Sign out all others' }).click()
  // elements behind an open dialog have no role
  await expect(userPage.getByRole('alertdialog')).toHaveCount(0)
  await expect(userPage.getByRole('button', { name: 'Sign out Firefox on Android' })).toHaveCount(0)
  await expect(server.call('GET', '/auth/me', { token: phoneToken })).rejects.toThrow('401')
  await userPage.reload()
  await expect(userPage).toHaveURL(/tab=settings$/)
})

test('lists everything with access to the account, revokes it there, and offers to revoke it with a password change', async ({
  userPage,
  account,
  server,
}) => {
  const addWebhook = (name: string) =>
    server.call('POST', '/me/hooks', {
      token: account.token,
      body: { name, url: 'https://hooks.example/mira' },
    })
  await addWebhook('Door bell')
  await addWebhook('Weather')
  const names = async () => {
    const { items } = await server.call<AccessItemsResponseJson>('GET', '/auth/access', { token: account.token })
    return items.map(({ name }) => name).sort()
  }

  await userPage.goto(address)
  await userPage.getByRole('button', { name: 'Remove Webhook: Weather' }).click()
  await userPage.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(userPage.getByRole('button', { name: 'Remove Webhook: Weather' })).toHaveCount(0)
  await expect.poll(names).toEqual(['Door bell'])

  await userPage.getByLabel('Current Password').fill(account.password)
  await userPage.getByLabel('New Password').fill('radium-violin-meadow-7')
  await userPage.getByRole('checkbox', { name: 'Webhook: Door bell' }).check()
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: 'Change password' }).click()
  await expect(userPage.getByText('Password changed', { exact: true })).toBeVisible()
  await expect.poll(names).toEqual([])
})

test('a personal API token is shown once, works, and is revoked', async ({ userPage, account, server }) => {
  await userPage.goto(address)
  await userPage.getByRole('button', { name: 'Create token' }).click()
  const dialog = userPage.getByRole('dialog')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('Give the token a name.')).toBeVisible()
  await expectAccessible(userPage)
  await dialog.getByLabel('Name').fill('Backup script')
  await dialog.getByRole('button', { name: 'Create token' }).click()

  await expect(dialog).toContainText('Copy it now: it won’t be shown again.')
  const token = (await dialog.locator('code').textContent()) ?? ''
  expect(token).toMatch(/^mira_/)
  await expectAccessible(userPage)
  expect(await server.call('GET', '/auth/me', { token })).toMatchObject({ id: account.user.id })
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(userPage.getByText(token)).toHaveCount(0)

  await expect(userPage.getByText('Backup script', { exact: true })).toBeVisible()
  await userPage.getByRole('button', { name: 'Revoke Backup script' }).click()
  await userPage.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(userPage.getByRole('heading', { name: 'No API tokens' })).toBeVisible()
  await expect(server.call('GET', '/auth/me', { token })).rejects.toThrow('401')
})
