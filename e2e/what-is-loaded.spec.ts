import { gzipSync } from 'node:zlib'
import type { Request, Response } from '@playwright/test'
import { drawPicture } from './support/effects.ts'
import { expect, test } from './support/fixtures.ts'
import { holdBack } from './support/layout-shift.ts'
import { upload } from './support/library.ts'

test.describe('what is loaded', () => {
  test('before the sign-in screen is painted is at most 99 kB of JavaScript', async ({ page }) => {
    const scripts = new Map<string, Response>()
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.set(response.url(), response)
    })
    await page.goto('/login', { waitUntil: 'networkidle' })
    await expect(page.getByRole('heading', { name: 'Welcome to Mira' })).toBeVisible()
    // what the card grows by comes after it; whatever had come when the heading was painted counts
    const early = await page.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint')
      const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      return loaded.filter(({ responseEnd }) => paint && responseEnd <= paint.startTime).map(({ name }) => name)
    })
    const before = await Promise.all(early.flatMap((url) => scripts.get(url)?.body() ?? []))
    const bytes = before.reduce((sum, script) => sum + gzipSync(script).length, 0)
    console.info(`JavaScript before the sign-in screen: ${bytes} bytes gzip in ${before.length} files`)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(99_000)
  })

  test('once signed in is asked for once and at once, in the words of the settings', async ({ userPage }) => {
    const settings = { language: 'de', timezone: 'Asia/Tokyo', analytics: false }
    await userPage.addInitScript((chosen) => localStorage.setItem('settings', JSON.stringify(chosen)), settings)
    const asked: Request[] = []
    userPage.on('request', (request) => asked.push(request))
    const pathOf = (request: Request) => new URL(request.url()).pathname
    const hasEvents = userPage.waitForRequest('**/api/events')
    // as the installed app begins
    await userPage.goto('/')
    await expect(userPage).toHaveURL(/\/dashboard$/)
    await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
    await hasEvents

    const scripts = asked.map(pathOf).filter((path) => path.endsWith('.js'))
    expect(scripts.filter((path, at) => scripts.indexOf(path) !== at)).toEqual([])
    const early = await userPage
      .locator('link[rel=modulepreload]')
      .evaluateAll((all) => all.map((link) => link.outerHTML))
    expect(early.join()).toContain('/dashboard-parts-')
    const me = asked.filter((request) => pathOf(request) === '/api/auth/me')
    expect(me.map((request) => request.headers())).toEqual([
      expect.objectContaining({ 'accept-language': 'de', 'x-time-zone': 'Asia/Tokyo', 'x-analytics': 'off' }),
    ])
  })

  test('is waited for under the bar of the app, which is painted before any script has come', async ({ userPage }) => {
    const ofPage = userPage.locator('#shell')
    const ofApp = userPage.getByRole('banner')
    let letGo = () => {}
    const scripts = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await userPage.route('**/assets/*.js', (route) => scripts.then(() => route.continue()))
    await userPage.goto('/chat', { waitUntil: 'commit' })
    await expect(ofPage).toBeVisible()
    // nothing is painted before the styles are there
    await expect(ofPage).toHaveCSS('border-bottom-width', '1px')
    const before = await ofPage.boundingBox()

    letGo()
    await expect(ofApp).toBeVisible()
    await expect(ofPage).toBeHidden()
    expect(await ofApp.boundingBox()).toEqual(before)

    await userPage.evaluate(() => localStorage.clear())
    await userPage.goto('/login')
    await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(ofPage).toBeHidden()
    expect(await userPage.evaluate(() => document.documentElement.dataset.hasBar)).toBeUndefined()
  })

  test('of the gallery is asked for before the app runs: its items and its first pictures, each once', async ({
    userPage,
    person,
    server,
  }) => {
    const picture = await drawPicture(userPage)
    await upload(server, person, picture.name, picture.buffer)
    const asked: string[] = []
    userPage.on('request', (request) => asked.push(request.url()))
    // the app itself does not run
    await userPage.route('**/assets/start-*.js', (route) => route.abort())
    await userPage.goto('/gallery')
    const early = userPage.locator('link[rel=preload][as=image]')
    await expect(early).toHaveCount(1)
    await userPage.unroute('**/assets/start-*.js')

    asked.length = 0
    await userPage.reload()
    const card = userPage.locator('[role=gridcell] img[src^="/api/"]')
    await expect(card).toBeVisible()
    const sizes = await Promise.all(['srcset', 'sizes'].map((name) => card.getAttribute(name)))
    expect(await Promise.all(['imagesrcset', 'imagesizes'].map((name) => early.getAttribute(name)))).toEqual(sizes)
    // of a screen whose pixels lie this far apart the smaller one has enough
    expect(asked.filter((url) => url.includes('/thumbnail')).map((url) => /size=small$/.test(url))).toEqual([true])
    expect(asked.filter((url) => url.includes('/api/media/library'))).toHaveLength(1)
  })

  test('of pictures are as many pixels as a screen has', async ({ userPage, openPageAs, person, server }) => {
    const picture = await drawPicture(userPage)
    await upload(server, person, picture.name, picture.buffer)
    const shownAt = async (deviceScaleFactor: number) => {
      const page = await openPageAs(person, { deviceScaleFactor, viewport: { width: 390, height: 844 } })
      const asked: string[] = []
      page.on('request', (request) => request.url().includes('/thumbnail') && asked.push(request.url()))
      await page.goto('/gallery')
      await expect(page.locator('[role=gridcell] img[src^="/api/"]')).toBeVisible()
      return asked.map((url) => url.endsWith('&size=small'))
    }
    expect([await shownAt(1), await shownAt(3)]).toEqual([[true], [false]])
  })

  test('is read again when it changed before its events could be followed', async ({ userPage, person, server }) => {
    const letGo = await holdBack(userPage, '**/api/events')
    await userPage.goto('/dashboard')
    await expect(userPage.getByRole('heading', { level: 1 })).toBeVisible()
    await server.call('PUT', `/admin/users/${person.user.id}`, {
      token: server.admin.token,
      body: { ...person.user, full_name: 'Renamed Early' },
    })
    await expect(userPage.getByRole('banner')).not.toContainText('Renamed Early')
    letGo()
    await expect(userPage.getByRole('banner')).toContainText('Renamed Early')
  })

  test('as events comes over one connection for all tabs, which another tab takes over', async ({
    userPage,
    person,
    server,
  }) => {
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
      server.call('PUT', `/admin/users/${person.user.id}`, {
        token: server.admin.token,
        body: { ...person.user, full_name: fullName },
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
