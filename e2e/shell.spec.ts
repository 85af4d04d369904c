import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const mainNavigation = (page: Page) => page.getByRole('navigation', { name: 'Main' })

test.describe('the bar', () => {
  test('links to every permitted screen, and shows the user', async ({ userPage, account }) => {
    await userPage.goto('/dashboard')
    await expect(userPage.getByRole('link', { name: 'Mira Phase 5' })).toHaveAttribute('href', '/dashboard')
    await expect(mainNavigation(userPage).getByRole('link')).toHaveText(['Dashboard', 'Chat', 'Agents'])
    await expect(userPage.getByRole('banner')).toContainText(`${account.user.full_name}User`)

    await userPage.getByRole('button', { name: 'Media', exact: true }).click()
    await expect(userPage.getByRole('menuitem')).toHaveText([
      'Upload MediaUpload and process files',
      'GalleryBrowse your media library',
      'Image EffectsApply artistic effects',
      'Memory SearchSearch across all content',
    ])
    await userPage.getByRole('menuitem', { name: 'Gallery' }).click()
    await expect(userPage).toHaveURL(/\/gallery$/)
    await expect(userPage.getByRole('heading', { level: 1 })).toHaveText('Media Gallery')
  })

  test('shows a guest without permissions only the dashboard', async ({ openPageAs, server }) => {
    const permissions = { can_chat: false, can_upload: false, can_use_voice: false, can_use_agents: false }
    const page = await openPageAs(await server.createAccount({ role: 'guest', ...permissions }))
    await page.goto('/dashboard')
    await expect(mainNavigation(page).getByRole('link')).toHaveText(['Dashboard'])
    await expect(page.getByRole('button', { name: 'Media', exact: true })).toHaveCount(0)
  })

  test('links an administrator to the admin panel', async ({ adminPage }) => {
    await adminPage.goto('/dashboard')
    await mainNavigation(adminPage).getByRole('link', { name: 'Admin' }).click()
    await expect(adminPage).toHaveURL(/\/admin$/)
  })

  test('changes the theme, which is stored and colours the browser’s own bars', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    await userPage.getByRole('button', { name: 'Switch to dark mode' }).click()
    await expect(userPage.locator('html')).toHaveAttribute('data-theme', 'dark')
    await expect(userPage.locator('meta[name=theme-color]')).toHaveAttribute('content', '#1f2937')
    await userPage.reload()
    await expect(userPage.locator('html')).toHaveAttribute('data-theme', 'dark')
    await userPage.getByRole('button', { name: 'Switch to light mode' }).click()
    expect(await userPage.evaluate(() => localStorage.getItem('theme'))).toBe('light')
    await expect(userPage.locator('meta[name=theme-color]')).toHaveAttribute('content', '#2563eb')
  })
})

test.describe('a part of the app that an update removed', () => {
  const removePart = (page: Page, part: string) =>
    page.route(new RegExp(`/assets/${part}-[^/]+[.]js$`), (route) => route.fulfill({ status: 404, body: '' }))
  const restoreParts = (page: Page) => page.unrouteAll()

  test('leaves the page and its input intact, whether it is a menu or a dialog, and a notice offers a reload', async ({
    adminPage,
  }) => {
    for (const part of ['dropdown-menu-panel', 'dialog-panel', 'confirm-panel', 'toasts-panel']) {
      await removePart(adminPage, part)
    }
    await adminPage.goto('/admin')
    const search = adminPage.getByRole('searchbox')
    await search.fill('admin')
    const notice = adminPage.getByRole('status').filter({ hasText: 'A part of Mira couldn’t be loaded' })
    await expect(notice).toHaveCount(0)
    await adminPage.getByRole('button', { name: 'Media', exact: true }).click()
    await expect(notice).toContainText('It has been updated in the meantime, or the connection was lost.')
    await adminPage.getByRole('button', { name: 'Create User' }).click()
    await expect(adminPage.getByRole('heading', { level: 1 })).toHaveText('Admin Panel')
    await expect(search).toHaveValue('admin')
    await expectAccessible(adminPage)

    await restoreParts(adminPage)
    await notice.getByRole('button', { name: 'Reload' }).click()
    await adminPage.getByRole('button', { name: 'Create User' }).click()
    await expect(adminPage.getByRole('dialog')).toBeVisible()
  })
})

test('a dialog that fails to render shows an error', async ({ userPage }) => {
  // the empty chat loads items for its suggestions
  const suggestionsLoaded = userPage.waitForResponse(/[/]api[/]media[/]library[?]/)
  await userPage.goto('/chat')
  await suggestionsLoaded
  await userPage.route(/[/]api[/]media[/]library[?]/, (route) =>
    route.fulfill({ json: { media_items: [null], next_cursor: null } }),
  )
  await userPage.getByRole('button', { name: 'Attach from library' }).click()
  await expect(userPage.getByRole('alert').getByRole('heading')).toHaveText('This page couldn’t be shown')
  await expect(mainNavigation(userPage)).toBeVisible()
})

test.describe('the guard', () => {
  test('redirects to the dashboard from every screen without permission', async ({ openPageAs, server }) => {
    const permissions = { can_chat: false, can_upload: false, can_use_voice: false, can_use_agents: false }
    const page = await openPageAs(await server.createAccount(permissions))
    for (const path of ['/agents', '/upload', '/gallery', '/effects', '/memory', '/admin', '/analytics']) {
      await page.goto(path)
      await expect(page, path).toHaveURL(/\/dashboard$/)
    }
    await page.goto('/chat')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page).toHaveURL(/\/chat$/)
  })

  test('redirects a signed-in user from / and /login to the dashboard', async ({ userPage }) => {
    for (const path of ['/', '/login']) {
      await userPage.goto(path)
      await expect(userPage, path).toHaveURL(/\/dashboard$/)
    }
  })

  test('redirects a signed-out visitor from / to the sign-in screen', async ({ page }) => {
    await page.goto('/')
    await expect(page).toHaveURL(/\/login$/)
  })

  test('shows a loading message until the user is known', async ({ userPage }) => {
    await userPage.route('**/api/auth/me', () => undefined)
    await userPage.goto('/dashboard')
    await expect(userPage.getByText('Loading Mira...')).toBeVisible()
    await expect(userPage.getByRole('status')).toHaveCSS('opacity', '1')
    await expectAccessible(userPage)
  })

  test('keeps the token while the server is unreachable, and continues once it is back', async ({ userPage }) => {
    await userPage.route('**/api/auth/me', (route) => route.abort())
    await userPage.goto('/dashboard')
    await expect(userPage.getByRole('heading', { name: 'Couldn’t reach Mira' })).toBeVisible({ timeout: 15_000 })
    expect(await userPage.evaluate(() => localStorage.getItem('token'))).not.toBeNull()
    await expectAccessible(userPage)
    await userPage.unroute('**/api/auth/me')
    await userPage.getByRole('button', { name: 'Retry' }).click()
    await expect(mainNavigation(userPage)).toBeVisible()
  })

  test('drops a rejected token immediately and says why', async ({ page, server }) => {
    await page.goto('/login')
    await page.evaluate(() => localStorage.setItem('token', 'made-up'))
    const meResponse = page.waitForResponse(`${server.url}/api/auth/me`)
    await page.goto('/memory')
    expect((await meResponse).status()).toBe(401)
    await expect(page).toHaveURL(/\/login$/)
    await expect(page.getByText('Your session has ended. Sign in again.')).toBeVisible()
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull()
  })

  test('signs out immediately, however long the server takes', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    const token = await userPage.evaluate(() => localStorage.getItem('token'))
    await userPage.route('**/api/auth/logout', () => undefined)
    const logoutRequest = userPage.waitForRequest('**/api/auth/logout')
    await userPage.getByRole('button', { name: 'Logout' }).click()
    await expect(userPage).toHaveURL(/\/login$/, { timeout: 2000 })
    expect(await userPage.evaluate(() => localStorage.getItem('token'))).toBeNull()
    expect((await logoutRequest).headers().authorization).toBe(`Bearer ${token}`)
  })

  test('signs out the other tabs, too', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    const otherTab = await userPage.context().newPage()
    await otherTab.goto('/gallery')
    await otherTab.getByRole('button', { name: 'Logout' }).click()
    await expect(otherTab).toHaveURL(/\/login$/)
    await expect(userPage).toHaveURL(/\/login$/)
  })
})

test.describe('navigation', () => {
  test('sets the document title and focuses the heading', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    await expect(userPage).toHaveTitle('Dashboard · Mira')
    await mainNavigation(userPage).getByRole('link', { name: 'Agents' }).click()
    await expect(userPage).toHaveTitle('Agents · Mira')
    await expect(userPage.getByRole('heading', { level: 1 })).toBeFocused()
  })

  test('can skip the bar', async ({ userPage }) => {
    await userPage.goto('/gallery')
    await expect(userPage.getByRole('heading', { name: 'Media Gallery' })).toBeVisible()
    await userPage.keyboard.press('Tab')
    await expect(userPage.getByRole('link', { name: 'Skip to content' })).toBeFocused()
    await userPage.keyboard.press('Enter')
    await expect(userPage.getByRole('main')).toBeFocused()
  })

  test('to an unknown URL shows “Page not found”, signed in or not', async ({ page, userPage }) => {
    for (const currentPage of [page, userPage]) {
      await currentPage.goto('/no/such/page')
      await expect(currentPage.getByRole('heading', { level: 1 })).toHaveText('Page not found')
      await expectAccessible(currentPage)
      await currentPage.getByRole('link', { name: 'Go to the start page' }).click()
    }
    await expect(page).toHaveURL(/\/login$/)
    await expect(userPage).toHaveURL(/\/dashboard$/)
  })

  test('to a screen whose code fails to load keeps the bar and offers a reload', async ({ userPage, pageErrors }) => {
    await userPage.goto('/gallery')
    await userPage.route('**/assets/chat-page-*.js', (route) => route.abort())
    await mainNavigation(userPage).getByRole('link', { name: 'Chat' }).click()
    const failure = userPage.getByRole('alert')
    await expect(failure.getByRole('heading')).toHaveText('A part of Mira couldn’t be loaded')
    await expect(mainNavigation(userPage)).toBeVisible()
    await expectAccessible(userPage)
    await userPage.unroute('**/assets/chat-page-*.js')
    // the reload is offered once, without an additional notice
    await userPage.getByRole('button', { name: 'Reload' }).click()
    await expect(failure).toHaveCount(0)
    await expect(userPage.getByRole('textbox', { name: 'Message' })).toBeVisible()
    // React's reports of this failure are expected.
    pageErrors.length = 0
  })

  test('restores the scroll position when going back, and starts a new screen at its top', async ({
    adminPage,
    server,
  }) => {
    for (let count = 0; count < 12; count += 1) await server.createAccount({ username: `scroll-${count}` })
    await adminPage.setViewportSize({ width: 1200, height: 500 })
    await adminPage.goto('/admin')
    await expect(adminPage.getByText('@example.org').nth(8)).toBeVisible()
    await adminPage.mouse.wheel(0, 600)
    await expect.poll(() => adminPage.evaluate(() => scrollY)).toBeGreaterThan(300)
    const before = await adminPage.evaluate(() => scrollY)
    // Playwright's own click would scroll the page first.
    await mainNavigation(adminPage).getByRole('link', { name: 'Agents' }).dispatchEvent('click')
    await expect(adminPage.getByRole('heading', { level: 1 })).toHaveText('Agents')
    expect(await adminPage.evaluate(() => scrollY)).toBe(0)
    await adminPage.goBack()
    await expect(adminPage.getByText('@example.org').nth(8)).toBeVisible()
    await expect.poll(() => adminPage.evaluate(() => scrollY)).toBe(before)
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the menu shows all links in sections', async ({ adminPage, server }) => {
    await adminPage.goto('/gallery')
    const open = adminPage.getByRole('button', { name: 'Open menu' })
    await open.click()
    const menu = mainNavigation(adminPage)
    await expect(menu.getByRole('heading')).toHaveText(['Media Tools', 'Administration'])
    await expect(menu.getByRole('link')).toHaveText([
      'Dashboard',
      'Chat',
      'Agents',
      'Upload Media',
      'Gallery',
      'Image Effects',
      'Memory Search',
      'Admin',
    ])
    await expect(menu.getByRole('link', { name: 'Gallery' })).toHaveAttribute('aria-current', 'page')
    await expect(adminPage.getByRole('banner')).toContainText(server.admin.user.email)
    await expectAccessible(adminPage)

    await adminPage.getByRole('button', { name: 'Dark Mode' }).click()
    await expect(adminPage.getByRole('button', { name: 'Light Mode' })).toBeVisible()
    await expectAccessible(adminPage)

    await adminPage.keyboard.press('Escape')
    await expect(menu).toHaveCount(0)
    await expect(open).toBeFocused()

    await open.click()
    await menu.getByRole('link', { name: 'Memory Search' }).click()
    await expect(adminPage).toHaveURL(/\/memory$/)
    await expect(menu).toHaveCount(0)
  })

  test('the menu signs the user out', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    await userPage.getByRole('button', { name: 'Open menu' }).click()
    await userPage.getByRole('button', { name: 'Sign out' }).click()
    await expect(userPage).toHaveURL(/\/login$/)
  })
})

test.describe('keyboard shortcuts', () => {
  test('are listed under "?" and can be turned off', async ({ userPage }) => {
    await userPage.goto('/gallery')
    await expect(userPage.getByRole('heading', { name: 'Media Gallery' })).toBeVisible()
    await userPage.keyboard.press('s')
    await expect(userPage).toHaveURL(/\/memory$/)
    await userPage.goBack()
    await expect(userPage.getByRole('heading', { name: 'Media Gallery' })).toBeVisible()
    await userPage.keyboard.press('/')
    await expect(userPage.getByRole('searchbox', { name: 'Search the library' })).toBeFocused()
    await userPage.getByRole('searchbox', { name: 'Search the library' }).blur()
    await userPage.keyboard.press('?')
    const dialog = userPage.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(dialog).toContainText('Show this list')
    await expect(dialog).toContainText('Memory Search')
    await expectAccessible(userPage)
    await dialog.getByRole('switch').uncheck()
    await userPage.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await userPage.keyboard.press('?')
    await userPage.waitForTimeout(300)
    await expect(dialog).toHaveCount(0)
  })
})

test.describe('the language', () => {
  for (const [language, heading, button] of [
    ['Español', 'Te damos la bienvenida a Mira', 'Iniciar sesión'],
    ['Français', 'Bienvenue sur Mira', 'Se connecter'],
    ['Deutsch', 'Willkommen bei Mira', 'Anmelden'],
  ] as const) {
    test(`can be chosen on the sign-in screen: ${language}`, async ({ page }) => {
      await page.goto('/login')
      await page.getByRole('combobox').selectOption({ label: language })
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
      await page.reload()
      await expect(page.getByRole('button', { name: button, exact: true })).toBeVisible()
      await expectAccessible(page)
    })
  }

  test('of an error matches the page', async ({ page }) => {
    await page.goto('/login')
    await page.getByRole('combobox').selectOption({ label: 'Deutsch' })
    await page.getByLabel('Benutzername').fill('nobody')
    await page.getByLabel('Passwort', { exact: true }).fill('nothing at all')
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await expect(page.getByRole('alert')).toHaveText('Benutzername oder Passwort ist falsch')
  })
})

test('an outdated browser shows a message instead of an empty page', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(Object, 'groupBy', { value: undefined })
  })
  await page.goto('/login')
  await expect(page.getByRole('alert')).toHaveText(/^This browser is too old for this page\. Update it, or use /)
})

test('the offline notice covers nothing on a phone', async ({ userPage: page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const notice = page.getByText('You’re offline. Mira will reconnect automatically.')
  const boxOf = async (element: Locator) => (await element.boundingBox()) ?? { y: Number.NaN, height: Number.NaN }
  for (const [path, name] of [
    ['/gallery', 'Media Gallery'],
    ['/chat', 'Chat with Mira'],
  ] as const) {
    await page.goto(path)
    const heading = page.getByRole('heading', { level: 1, name })
    await expect(heading).toBeVisible()
    await page.context().setOffline(true)
    await expect(notice).toBeVisible()
    const { y, height } = await boxOf(notice)
    expect((await boxOf(heading)).y).toBeGreaterThan(y + height)
    // the chat still fills the window exactly
    if (path === '/chat') expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(844)
    await page.context().setOffline(false)
    await expect(notice).toHaveCount(0)
  }
})
