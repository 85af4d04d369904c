import { gzipSync } from 'node:zlib'
import type { Request, Response } from '@playwright/test'
import { drawImage } from './support/effects.ts'
import { expect, test } from './support/fixtures.ts'
import { holdRequests } from './support/layout-shift.ts'
import { upload } from './support/library.ts'

test.describe('loading', () => {
  test('needs at most 99 kB of JavaScript before the sign-in screen is painted', async ({ page }) => {
    const scripts = new Map<string, Response>()
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.set(response.url(), response)
    })
    await page.goto('/login', { waitUntil: 'networkidle' })
    await expect(page.getByRole('heading', { name: 'Welcome to Mira' })).toBeVisible()
    // later parts of the card load afterwards; only what had loaded by the first paint counts
    const early = await page.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      return loaded.filter(({ responseEnd }) => paint && responseEnd <= paint.startTime).map(({ name }) => name)
    })
    const earlyScripts = await Promise.all(early.flatMap((url) => scripts.get(url)?.body() ?? []))
    const bytes = earlyScripts.reduce((sum, script) => sum + gzipSync(script).length, 0)
    console.info(`JavaScript before the sign-in screen: ${bytes} bytes gzip in ${earlyScripts.length} files`)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(99_000)
  })

  test('requests scripts early and the user once after the sign-in, with the headers of the settings', async ({
    userPage,
  }) => {
    const settings = { language: 'de', timezone: 'Asia/Tokyo', analytics: false }
    await userPage.addInitScript((chosen) => localStorage.setItem('settings', JSON.stringify(chosen)), settings)
    const requests: Request[] = []
    userPage.on('request', (request) => requests.push(request))
    const pathOf = (request: Request) => new URL(request.url()).pathname
    const hasEvents = userPage.waitForRequest('**/api/events')
    // as the installed app starts
    await userPage.goto('/')
    await expect(userPage).toHaveURL(/\/dashboard$/)
    await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
    await hasEvents

    const scripts = requests.map(pathOf).filter((path) => path.endsWith('.js'))
    expect(scripts.filter((path, index) => scripts.indexOf(path) !== index)).toEqual([])
    const early = await userPage
      .locator('link[rel=modulepreload]')
      .evaluateAll((all) => all.map((link) => link.outerHTML))
    expect(early.join()).toContain('/dashboard-parts-')
    const me = requests.filter((request) => pathOf(request) === '/api/auth/me')
    expect(me.map((request) => request.headers())).toEqual([
      expect.objectContaining({ 'accept-language': 'de', 'x-time-zone': 'Asia/Tokyo', 'x-analytics': 'off' }),
    ])
  })

  test('paints the bar of the app before any script has loaded', async ({ userPage }) => {
    const shellBar = userPage.locator('#shell')
    const appBar = userPage.getByRole('banner')
    let release = () => {}
    const scripts = new Promise<void>((resolve) => {
      release = resolve
    })
    await userPage.route('**/assets/*.js', (route) => scripts.then(() => route.continue()))
    await userPage.goto('/chat', { waitUntil: 'commit' })
    await expect(shellBar).toBeVisible()
    // nothing is painted before the styles have loaded
    await expect(shellBar).toHaveCSS('border-bottom-width', '1px')
    const before = await shellBar.boundingBox()

    release()
    await expect(appBar).toBeVisible()
    await expect(shellBar).toBeHidden()
    expect(await appBar.boundingBox()).toEqual(before)

    await userPage.evaluate(() => localStorage.clear())
    await userPage.goto('/login')
    await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(shellBar).toBeHidden()
    expect(await userPage.evaluate(() => document.documentElement.dataset.hasBar)).toBeUndefined()
  })

  test('requests the items and first images of the gallery before the app runs, each once', async ({
    userPage,
    account,
    server,
  }) => {
    const picture = await drawImage(userPage)
    await upload(server, account, picture.name, picture.buffer)
    const requestedUrls: string[] = []
    userPage.on('request', (request) => requestedUrls.push(request.url()))
    // the app itself doesn't run
    await userPage.route('**/assets/start-*.js', (route) => route.abort())
    await userPage.goto('/gallery')
    const early = userPage.locator('link[rel=preload][as=image]')
    await expect(early).toHaveCount(1)
    await userPage.unroute('**/assets/start-*.js')

    requestedUrls.length = 0
    await userPage.reload()
    const card = userPage.locator('[role=gridcell] img[src^="/api/"]')
    await expect(card).toBeVisible()
    const sizes = await Promise.all(['srcset', 'sizes'].map((name) => card.getAttribute(name)))
    expect(await Promise.all(['imagesrcset', 'imagesizes'].map((name) => early.getAttribute(name)))).toEqual(sizes)
    // the small thumbnail is enough for this pixel density
    expect(requestedUrls.filter((url) => url.includes('/thumbnail')).map((url) => /size=small$/.test(url))).toEqual([
      true,
    ])
    expect(requestedUrls.filter((url) => url.includes('/api/media/library'))).toHaveLength(1)
  })

  test('requests thumbnails that match the pixel density of the screen', async ({
    userPage,
    openPageAs,
    account,
    server,
  }) => {
    const picture = await drawImage(userPage)
    await upload(server, account, picture.name, picture.buffer)
    const requestedAt = async (deviceScaleFactor: number) => {
      const page = await openPageAs(account, { deviceScaleFactor, viewport: { width: 390, height: 844 } })
      const requestedUrls: string[] = []
      page.on('request', (request) => request.url().includes('/thumbnail') && requestedUrls.push(request.url()))
      await page.goto('/gallery')
      await expect(page.locator('[role=gridcell] img[src^="/api/"]')).toBeVisible()
      return requestedUrls.map((url) => url.endsWith('&size=small'))
    }
    expect([await requestedAt(1), await requestedAt(3)]).toEqual([[true], [false]])
  })

  test('reloads data that changed before the event stream was open', async ({ userPage, account, server }) => {
    const release = await holdRequests(userPage, '**/api/events')
    await userPage.goto('/dashboard')
    await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
    await server.call('PUT', `/admin/users/${account.user.id}`, {
      token: server.admin.token,
      body: { ...account.user, full_name: 'Renamed Early' },
    })
    await expect(userPage.getByRole('banner')).not.toContainText('Renamed Early')
    release()
    await expect(userPage.getByRole('banner')).toContainText('Renamed Early')
  })

  test('uses one event stream for all tabs, which another tab takes over', async ({ userPage, account, server }) => {
    const streams: string[] = []
    const context = userPage.context()
    context.on('request', (request) => {
      if (request.url().endsWith('/api/events')) streams.push('opened')
    })
    await userPage.goto('/dashboard')
    const otherTab = await context.newPage()
    await otherTab.goto('/gallery')
    await expect(otherTab.getByRole('heading', { name: 'Media Gallery' })).toBeVisible()
    await expect.poll(() => streams.length).toBe(1)

    const rename = (fullName: string) =>
      server.call('PUT', `/admin/users/${account.user.id}`, {
        token: server.admin.token,
        body: { ...account.user, full_name: fullName },
      })
    await rename('Renamed Once')
    await expect(userPage.getByRole('banner')).toContainText('Renamed Once')
    await expect(otherTab.getByRole('banner')).toContainText('Renamed Once')
    expect(streams.length).toBe(1)

    await userPage.close()
    await expect.poll(() => streams.length).toBe(2)
    await rename('Renamed Twice')
    await expect(otherTab.getByRole('banner')).toContainText('Renamed Twice')
  })
})
