import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { chromiumLaunchOptions } from './support/browser.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const MEGABYTE = 1024 * 1024
const picker = (page: Page) => page.getByLabel('Choose files').and(page.locator('input'))
const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Upload queue' }).getByRole('listitem').filter({ hasText: name })
const uploadAll = (page: Page) => page.getByRole('button', { name: 'Upload All' })

let folder: string
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-resume-'))
})
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A picture with so much noise behind it that it does not go in one piece; like no other. */
function largeFile(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([PICTURE, randomBytes(24 * MEGABYTE - PICTURE.length)]))
  // what the browser tells of it must not depend on when the test runs
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  return path
}

/** Lets this many parts through, then breaks every connection for uploads until it is let through again. */
async function breakAfterParts(page: Page, parts: number) {
  const offsets: number[] = []
  let isBroken = false
  await page.route('**/api/media/uploads/*', (route) => {
    const request = route.request()
    if (request.method() !== 'PATCH') return isBroken ? route.abort('connectionfailed') : route.continue()
    if (!isBroken && offsets.length >= parts) isBroken = true
    if (isBroken) return route.abort('connectionfailed')
    offsets.push(Number(request.headers()['upload-offset']))
    return route.continue()
  })
  return {
    /** Start offsets of the chunks that reached the server. */
    offsets,
    mend: (untilParts = Number.POSITIVE_INFINITY) => {
      parts = untilParts
      isBroken = false
    },
  }
}

test('a large file goes on by itself when the connection comes back, and nothing is sent twice', async ({
  userPage,
}) => {
  const connection = await breakAfterParts(userPage, 1)
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles(largeFile('boat.png'))
  await uploadAll(userPage).click()
  const boat = row(userPage, 'boat.png')
  await expect(boat.getByText('Connection lost. The upload will continue automatically once it’s back.')).toBeVisible({
    timeout: 60_000,
  })
  await expectAccessible(userPage)
  connection.mend()
  await expect(boat.getByText(/Processing…|completed/)).toBeVisible({ timeout: 60_000 })
  expect(connection.offsets).toEqual([0, 16 * MEGABYTE])
})

test('after a reload the page says what is unfinished, and the same file goes on where it stopped', async ({
  userPage,
}) => {
  const connection = await breakAfterParts(userPage, 1)
  await userPage.goto('/upload')
  const path = largeFile('harbour.png')
  await picker(userPage).setInputFiles(path)
  await uploadAll(userPage).click()
  const harbour = row(userPage, 'harbour.png')
  await expect(harbour.getByText('Connection lost.')).toBeVisible()
  await userPage.getByRole('button', { name: 'Pause harbour.png' }).click()
  await expect(harbour.getByText('Paused at 66%. “Upload All” continues from there.')).toBeVisible()

  connection.mend()
  await userPage.setViewportSize({ width: 360, height: 740 })
  await userPage.reload()
  const told = userPage.getByRole('status').filter({ hasText: '1 upload is unfinished' })
  await expect(told).toContainText('harbour.png')
  await expect(told).toContainText('66% of 24.0 MB')
  await expectAccessible(userPage)
  await picker(userPage).setInputFiles(path)
  await uploadAll(userPage).click()
  await expect(harbour.getByText(/Processing…|completed/)).toBeVisible({ timeout: 60_000 })
  await expect(told).toBeHidden()
  expect(connection.offsets).toEqual([0, 16 * MEGABYTE])

  // another one is given up instead
  connection.mend(3)
  await picker(userPage).setInputFiles(largeFile('mistake.png'))
  await uploadAll(userPage).click()
  await expect(row(userPage, 'mistake.png').getByText('Connection lost.')).toBeVisible()
  await userPage.getByRole('button', { name: 'Stop' }).click()
  connection.mend()
  await userPage.reload()
  await userPage.getByRole('button', { name: 'Discard mistake.png' }).click()
  await expect(told).toBeHidden()
})

test('a file of the browser’s own chooser goes on after a reload without being chosen again, and is known before it is sent', async ({
  playwright,
  person,
  server,
}) => {
  // a window that keeps nothing keeps no handles of files either
  const context = await playwright.chromium.launchPersistentContext(join(folder, 'profile'), {
    ...(await chromiumLaunchOptions()),
    serviceWorkers: 'block',
    baseURL: server.url,
  })
  // the window of the system cannot be pressed here: a file of the page's own folder, which the browser keeps in the same way, is
  // what it gives
  await context.addInitScript((token) => {
    localStorage.setItem('token', token)
    const showOpenFilePicker = async () => [
      await (await navigator.storage.getDirectory()).getFileHandle('lighthouse.png', { create: true }),
    ]
    Object.assign(window, { showOpenFilePicker })
  }, person.token)
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.accept())
  const connection = await breakAfterParts(page, 1)
  await page.goto('/upload')
  await page.evaluate(
    async ({ bytes, size }) => {
      const folder = await navigator.storage.getDirectory()
      const file = await (await folder.getFileHandle('lighthouse.png', { create: true })).createWritable()
      const noise = new Uint8Array(size)
      for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536))
      noise.set(bytes)
      await file.write(noise)
      await file.close()
    },
    { bytes: [...PICTURE], size: 24 * MEGABYTE },
  )
  const choose = page.locator('button', { hasText: 'Choose files' })
  await choose.click()
  await uploadAll(page).click()
  const lighthouse = row(page, 'lighthouse.png')
  await expect(lighthouse.getByText('Connection lost.')).toBeVisible()

  // a page that is still there would go on by itself
  await page.goto('about:blank')
  connection.mend()
  await page.goto('/upload')
  await page.getByRole('button', { name: 'Continue lighthouse.png' }).click()
  await expect(lighthouse.getByText(/Processing…|completed/)).toBeVisible({ timeout: 60_000 })
  expect(connection.offsets).toEqual([0, 16 * MEGABYTE])

  await page.reload()
  await choose.click()
  await expect(lighthouse.getByText('Already in your memory')).toBeVisible()
  await expect(uploadAll(page)).toBeHidden()
  expect(connection.offsets).toHaveLength(2)
  await context.close()
})
