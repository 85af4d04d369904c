import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'

test('a signed-out visitor is redirected to the sign-in screen, and after signing in to the requested page', async ({
  page,
  account,
}) => {
  await page.goto('/chat')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome to Mira')
  await expect(page.getByText('Sign in to your account')).toBeVisible()
  await expectAccessible(page)

  await page.getByLabel('Username').fill(account.user.username)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await expect(page).toHaveURL(/\/chat$/)
  await expect(page.getByRole('link', { name: 'Dashboard' }).first()).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('token'))).not.toBeNull()
})

test('signing in from / leads to the dashboard, focuses its heading and sets the document title', async ({
  page,
  account,
}) => {
  await page.goto('/')
  await expect(page).toHaveURL(/\/login$/)
  await expect(page).toHaveTitle('Sign in · Mira')
  await page.getByLabel('Username').fill(account.user.username)
  await page.getByLabel('Password', { exact: true }).fill(account.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await expect(page).toHaveURL(/\/dashboard$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page).toHaveTitle('Dashboard · Mira')
})

test('a wrong password shows an error and keeps the username', async ({ page, account }) => {
  await page.goto('/login')
  await page.getByLabel('Username').fill(account.user.username)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()

  await expect(page.getByRole('alert')).toHaveText('Incorrect username or password')
  await expect(page.getByLabel('Username')).toHaveValue(account.user.username)
  await expectAccessible(page)
})

test('the form shows an error and keeps the username when the texts of errors fail to load', async ({
  page,
  account,
}) => {
  await page.route('**/assets/texts-en-signed-in-*', (route) => route.abort())
  await page.goto('/login')
  await page.getByLabel('Username').fill(account.user.username)
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Login failed' })).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue(account.user.username)
})

test('signing out ends the session on the server, too', async ({ userPage, account, server }) => {
  await userPage.goto('/dashboard')
  await userPage.getByRole('button', { name: 'Logout' }).click()

  await expect(userPage).toHaveURL(/\/login$/)
  expect(await userPage.evaluate(() => localStorage.getItem('token'))).toBeNull()
  // the page doesn't wait for the server
  const loadUser = () => server.call('GET', '/auth/me', { token: account.token })
  await expect(() => expect(loadUser()).rejects.toThrow('401')).toPass()
})

test('files that were loaded leave the browser cache after signing out', async ({ userPage, account, server }) => {
  const { url } = await upload(server, account, 'diary.txt', 'Nobody else is to read this.')
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

test('a user whom an administrator deletes is redirected to the sign-in screen', async ({
  userPage,
  account,
  server,
}) => {
  await userPage.goto('/dashboard')
  await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
  await server.call('DELETE', `/admin/users/${account.user.id}`, {
    token: server.admin.token,
    body: { current_password: server.admin.password },
  })
  await userPage.reload()
  await expect(userPage).toHaveURL(/\/login$/)
})

/** Stores something in every kind of storage that a browser has. */
async function fillStorage(page: Page): Promise<void> {
  await page.evaluate(async () => {
    localStorage.setItem('theme', 'dark')
    localStorage.setItem('shortcuts', 'off')
    localStorage.setItem('memory-searches-1', '["a secret"]')
    localStorage.setItem('key of a later version', 'a secret')
    sessionStorage.setItem('mira-comparisons', '[["a secret","1"]]')
    for (const [name, store] of [
      ['mira.chat', 'pictures'],
      ['mira.uploads', 'handles'],
      ['database of a later version', 'things'],
    ] as const) {
      await new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name, 1)
        opening.onupgradeneeded = () => opening.result.createObjectStore(store)
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const transaction = opening.result.transaction(store, 'readwrite')
          transaction.objectStore(store).put({ keptAt: Date.now(), keptAtMs: Date.now(), pictures: [] }, 'a secret')
          transaction.oncomplete = () => {
            opening.result.close()
            resolve()
          }
        }
      })
    }
    await (await caches.open('mira.shared')).put('/shared/a-secret', new Response('a secret'))
  })
}

/** Names of everything in the page's storage. */
function storedNames(page: Page) {
  return page.evaluate(async () => {
    const files: string[] = []
    const folder = (await navigator.storage.getDirectory()) as unknown as { keys(): AsyncIterable<string> }
    for await (const name of folder.keys()) files.push(name)
    return {
      local: Object.keys(localStorage).sort(),
      session: Object.keys(sessionStorage),
      databases: (await indexedDB.databases()).map(({ name }) => name),
      caches: await caches.keys(),
      files,
    }
  })
}

const onlyPreferences = { local: ['shortcuts', 'theme'], session: [], databases: [], caches: [], files: [] }
const unsentQuestion = 'Some of your work isn’t sent or saved yet. Sign out and discard it?'

test('signing out asks about unsent work, then clears the browser except for preferences of the device', async ({
  userPage,
}) => {
  await userPage.goto('/chat')
  await userPage.getByRole('textbox', { name: 'Message' }).fill('A secret that is not sent yet')
  await fillStorage(userPage)
  const otherTab = await userPage.context().newPage()
  await otherTab.goto('/dashboard')
  await otherTab.evaluate(() => sessionStorage.setItem('mira-comparisons', '[["a secret","1"]]'))

  // the unsent message is in the other tab
  await otherTab.getByRole('button', { name: 'Logout' }).click()
  const question = otherTab.getByRole('alertdialog', { name: unsentQuestion })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toHaveCount(0)
  expect((await storedNames(userPage)).local).toContain('token')
  await otherTab.getByRole('button', { name: 'Logout' }).click()
  await question.getByRole('button', { name: 'Sign out and discard' }).click()

  for (const page of [otherTab, userPage]) {
    await expect(page).toHaveURL(/\/login$/)
    await expect.poll(() => storedNames(page)).toEqual(onlyPreferences)
  }
  await userPage.reload()
  expect(await storedNames(userPage)).toEqual(onlyPreferences)
})

test('unsent work survives an expired session for the same user, and is cleared when another one signs in', async ({
  page,
  account,
  server,
}) => {
  const signIn = async ({ user, password }: typeof account) => {
    await page.getByLabel('Username').fill(user.username)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const message = page.getByRole('textbox', { name: 'Message' })
  const expire = async () => {
    await page.evaluate(() => localStorage.setItem('token', 'made-up'))
    await page.reload()
    await expect(page.getByText('Your session has ended. Sign in again.')).toBeVisible()
  }
  await page.goto('/chat')
  await signIn(account)
  await message.fill('Not sent yet')
  await fillStorage(page)
  await expire()
  await signIn(account)
  await expect(message).toHaveValue('Not sent yet')

  await expire()
  await signIn(await server.createAccount())
  await expect(message).toHaveValue('')
  const { local, session, databases, caches } = await storedNames(page)
  expect([...local, ...session, ...databases, ...caches].join(' ')).not.toMatch(
    /chat\.draft|secret|later|memory-searches|shared/,
  )
  expect(session).not.toContain('mira-comparisons')
})
