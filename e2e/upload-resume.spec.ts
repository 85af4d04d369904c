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

/** Unique image, padded with random data so that it is uploaded in several chunks. */
function largeFile(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, Buffer.concat([PICTURE, randomBytes(24 * MEGABYTE - PICTURE.length)]))
  // the browser reports the modification time, which mustn't depend on the time of the test
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  return path
}

/** Lets this many chunks through, then breaks every connection for uploads until `restore` is called. */
async function breakAfterChunks(page: Page, chunks: number) {
  const offsets: number[] = []
  let isBroken = false
  await page.route('**/api/media/uploads/*', (route) => {
    const request = route.request()
    if (request.method() !== 'PATCH') return isBroken ? route.abort('connectionfailed') : route.continue()
    if (!isBroken && offsets.length >= chunks) isBroken = true
    if (isBroken) return route.abort('connectionfailed')
    offsets.push(Number(request.headers()['upload-offset']))
    return route.continue()
  })
  return {
    /** Start offsets of the chunks that reached the server. */
    offsets,
    restore: (untilChunks = Number.POSITIVE_INFINITY) => {
      chunks = untilChunks
      isBroken = false
    },
  }
}

test('a large upload resumes automatically when the connection is back, and nothing is sent twice', async ({
  userPage,
}) => {
  const connection = await breakAfterChunks(userPage, 1)
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles(largeFile('boat.png'))
  await uploadAll(userPage).click()
  const boat = row(userPage, 'boat.png')
  await expect(boat.getByText('Connection lost. The upload will continue automatically once it’s back.')).toBeVisible({
    timeout: 60_000,
  })
  await expectAccessible(userPage)
  connection.restore()
  await expect(boat.getByText(/Processing…|completed/)).toBeVisible({ timeout: 60_000 })
  expect(connection.offsets).toEqual([0, 16 * MEGABYTE])
})

test('after a reload, the page lists the unfinished upload, which resumes when the same file is chosen', async ({
  userPage,
}) => {
  const connection = await breakAfterChunks(userPage, 1)
  await userPage.goto('/upload')
  const path = largeFile('harbour.png')
  await picker(userPage).setInputFiles(path)
  await uploadAll(userPage).click()
  const harbour = row(userPage, 'harbour.png')
  await expect(harbour.getByText('Connection lost.')).toBeVisible()
  await userPage.getByRole('button', { name: 'Pause harbour.png' }).click()
  await expect(harbour.getByText('Paused at 66%. “Upload All” continues from there.')).toBeVisible()

  connection.restore()
  await userPage.setViewportSize({ width: 360, height: 740 })
  await userPage.reload()
  const unfinishedNotice = userPage.getByRole('status').filter({ hasText: '1 upload is unfinished' })
  await expect(unfinishedNotice).toContainText('harbour.png')
  await expect(unfinishedNotice).toContainText('66% of 24.0 MB')
  await expectAccessible(userPage)
  await picker(userPage).setInputFiles(path)
  await uploadAll(userPage).click()
  await expect(harbour.getByText(/Processing…|completed/)).toBeVisible({ timeout: 60_000 })
  await expect(unfinishedNotice).toBeHidden()
  expect(connection.offsets).toEqual([0, 16 * MEGABYTE])

  // another upload is discarded instead
  connection.restore(3)
  await picker(userPage).setInputFiles(largeFile('mistake.png'))
  await uploadAll(userPage).click()
  await expect(row(userPage, 'mistake.png').getByText('Connection lost.')).toBeVisible()
  await userPage.getByRole('button', { name: 'Stop' }).click()
  connection.restore()
  await userPage.reload()
  await userPage.getByRole('button', { name: 'Discard mistake.png' }).click()
  await expect(unfinishedNotice).toBeHidden()
})

test('a file from the browser’s file picker resumes after a reload without being chosen again, and is recognised before it is sent again', async ({
  playwright,
  account,
  server,
}) => {
  // an incognito context stores no file handles
  const context = await playwright.chromium.launchPersistentContext(join(folder, 'profile'), {
    ...(await chromiumLaunchOptions()),
    serviceWorkers: 'block',
    baseURL: server.url,
  })
  // the file dialog of the system can't be used here, so the picker returns a file of the page's private file system, whose handle
  // the browser stores in the same way
  await context.addInitScript((token) => {
    localStorage.setItem('token', token)
    const showOpenFilePicker = async () => [
      await (await navigator.storage.getDirectory()).getFileHandle('lighthouse.png', { create: true }),
    ]
    Object.assign(window, { showOpenFilePicker })
  }, account.token)
  const page = await context.newPage()
  page.on('dialog', (dialog) => void dialog.accept())
  const connection = await breakAfterChunks(page, 1)
  await page.goto('/upload')
  await page.evaluate(
    async ({ bytes, size }) => {
      const folder = await navigator.storage.getDirectory()
      const file = await (await folder.getFileHandle('lighthouse.png', { create: true })).createWritable()
      const noise = new Uint8Array(size)
      for (let offset = 0; offset < size; offset += 65_536)
        crypto.getRandomValues(noise.subarray(offset, offset + 65_536))
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

  // a page that's still open would resume automatically
  await page.goto('about:blank')
  connection.restore()
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
