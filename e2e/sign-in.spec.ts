import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'

test('whoever is not signed in is led to the sign-in screen, signs in there and gets on with the page they wanted', async ({
  page,
  person,
}) => {
  await page.goto('/chat')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to Mira')
  await expect(page.getByText('Sign in to your account')).toBeVisible()
  await expectAccessible(page)

  await page.getByLabel('Username').fill(person.user.username)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await expect(page).toHaveURL(/\/chat$/)
  await expect(page.getByRole('link', { name: 'Dashboard' }).first()).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('token'))).not.toBeNull()
})

test('whoever begins at the first address signs in there, and the page that follows is called out and named', async ({
  page,
  person,
}) => {
  await page.goto('/')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page).toHaveTitle('Sign in · Mira')
  await page.getByLabel('Username').fill(person.user.username)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page).toHaveTitle('Dashboard · Mira')
})

test('a wrong password is answered above the fields, and the name that was typed stays', async ({ page, person }) => {
  await page.goto('/login')
  await page.getByLabel('Username').fill(person.user.username)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password')
  await expect(page.getByLabel('Username')).toHaveValue(person.user.username)
  await expectAccessible(page)
})

test('where the words for what went wrong do not come, the form stays with the name that was typed', async ({
  page,
  person,
}) => {
  await page.route('**/assets/texts-en-signed-in-*', (route) => route.abort())
  await page.goto('/login')
  await page.getByLabel('Username').fill(person.user.username)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Login failed' })).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue(person.user.username)
})

test('signing out ends the session on the server, too', async ({ userPage, person, server }) => {
  await userPage.goto('/dashboard')
  await userPage.getByRole('button', { name: 'Logout' }).click()

  await expect(userPage).toHaveURL(/\/login$/)
  expect(await userPage.evaluate(() => localStorage.getItem('token'))).toBeNull()
  // the page does not wait for the server
  const mine = () => server.call('GET', '/auth/me', { token: person.token })
  await expect(() => expect(mine()).rejects.toThrow('401')).toPass()
})

test('nothing that was shown stays in the browser after signing out', async ({ userPage, person, server }) => {
  const { url } = await upload(server, person, 'diary.txt', 'Nobody else is to read this.')
  await userPage.goto('/dashboard')
  const isCached = () =>
    userPage.evaluate(async (address) => {
      const response = await fetch(address, { cache: 'only-if-cached', mode: 'same-origin' }).catch(() => null)
      return response?.ok ?? false
    }, url)
  await userPage.evaluate((address) => fetch(address).then((response) => response.text()), url)
  expect(await isCached()).toBe(true)
  await userPage.getByRole('button', { name: 'Logout' }).click()
  await expect(userPage).toHaveURL(/\/login$/)
  await expect.poll(isCached).toBe(false)
})

test('a session that an administrator ended leads back to the sign-in screen', async ({ userPage, person, server }) => {
  await userPage.goto('/dashboard')
  await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
  await server.call('DELETE', `/admin/users/${person.user.id}`, { token: server.admin.token })
  await userPage.reload()
  await expect(userPage).toHaveURL(/\/login$/)
})
