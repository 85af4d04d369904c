import { Buffer } from 'node:buffer'
import type { MediaItemJson, UserEventJson } from '@mira/shared'
import type { Page, Route } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const picker = (page: Page) => page.getByLabel('Choose files').and(page.locator('input'))
const rows = (page: Page) => page.getByRole('list', { name: 'Upload queue' }).getByRole('listitem')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })
const uploadAll = (page: Page) => page.getByRole('button', { name: 'Upload All' })

const textFile = (name: string, content = 'Dear Anna, the boat leaves at nine.') => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})
const idOf = (n: number) => `0198c3a0-0000-7000-8000-${String(n).padStart(12, '0')}`

function itemOf(n: number, overrides: Partial<MediaItemJson> = {}): MediaItemJson {
  return {
    id: idOf(n),
    media_type: 'document',
    content: null,
    caption: null,
    extracted_text: null,
    transcription: null,
    thumbnail: null,
    url: `/api/media/${idOf(n)}/file`,
    preview_url: null,
    duration: null,
    timestamp: '2026-11-20T12:00:00.000Z',
    frames_count: 0,
    metadata: {
      original_filename: 'letter.txt',
      content_type: 'text/plain',
      size_bytes: 35,
      sha256: 'ab',
      width: null,
      height: null,
      pages: null,
      taken_at: null,
      taken_local: null,
      corrected: [],
      camera: null,
      latitude: null,
      longitude: null,
      created_at: '2026-11-20T12:00:00.000Z',
      source: null,
      details: {},
    },
    thumbhash: null,
    tags: [],
    engines: {},
    processing_status: 'processing',
    processing_steps: [],
    error: null,
    ...overrides,
  }
}

/** Holds every upload until the test responds to it. */
async function holdUploads(page: Page) {
  const routes: Route[] = []
  await page.route('**/api/media/upload', (route) => {
    routes.push(route)
  })
  return {
    routes,
    async respond(index: number, status: number, json: unknown) {
      await expect.poll(() => routes.length).toBeGreaterThan(index)
      await routes[index]!.fulfill({ status, json })
    },
  }
}

/** Sends these events to the page instead of the server's. */
async function mockEvents(page: Page, events: UserEventJson[]): Promise<void> {
  await page.route('**/api/events', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    }),
  )
}

test('an empty queue shows what can be uploaded, and no "Upload All"', async ({ userPage }) => {
  await userPage.goto('/upload')
  await expect(userPage.getByRole('heading', { name: 'Media Upload', level: 1 })).toBeVisible()
  await expect(userPage.getByText('Upload and process images, videos, audio and documents')).toBeVisible()
  await expect(userPage).toHaveTitle('Media Upload · Mira')
  await expect(userPage.getByRole('button', { name: 'Choose a folder' })).toBeVisible()
  await expect(
    userPage.getByRole('checkbox', { name: 'Keep the location where pictures were taken' }),
  ).not.toBeChecked()
  await expect(uploadAll(userPage)).toBeHidden()
  await expectAccessible(userPage)
})

test('files that can’t be uploaded are rejected, each with its reason', async ({ userPage }) => {
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([
    { name: 'program.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
    textFile('empty.txt', ''),
    textFile('letter.txt'),
  ])
  const refusals = userPage.getByRole('status').filter({ hasText: '2 files weren’t added' })
  await expect(refusals).toContainText('program.exe')
  await expect(
    refusals.getByText(
      'File type must be jpg, jpeg, png, bmp, tiff, webp, mp4, avi, mov, mkv, wmv, flv, webm, mp3, wav, m4a, flac, ogg, aac, pdf, txt',
      { exact: true },
    ),
  ).toBeVisible()
  await expect(refusals.getByText('File is smaller than 1 byte', { exact: true })).toBeVisible()
  await expect(rows(userPage)).toHaveCount(1)
  await expectAccessible(userPage)

  // Too large and too many; only the names and sizes of the files are checked.
  await userPage.evaluate(() => {
    const large = new File(['x'], 'film.mp4', { type: 'video/mp4' })
    Object.defineProperty(large, 'size', { value: 10_737_418_241 })
    const many = Array.from({ length: 2_000 }, (_, index) => new File(['x'], `${index}.txt`))
    const files = [large, ...many]
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
    Object.defineProperty(event, 'clipboardData', { value: { files, getData: () => '' } })
    document.body.dispatchEvent(event)
  })
  await expect(userPage.getByText('File is larger than 10737418240 bytes', { exact: true })).toBeVisible()
  await expect(userPage.getByText('Too many files', { exact: true })).toBeVisible()
  // Two thousand are queued, and only those near the viewport are rendered.
  await expect(userPage.getByText('2,000 files')).toBeVisible()
  expect(await rows(userPage).count()).toBeLessThan(60)
})

test('files are uploaded one at a time in order, the next once the previous one is accepted', async ({ userPage }) => {
  const { routes, respond } = await holdUploads(userPage)
  await userPage.route(`**/api/media/${idOf(1)}`, (route) => route.fulfill({ status: 503, json: {} }))
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('one.txt'), textFile('two.txt'), textFile('three.txt')])
  await expect(rows(userPage).getByText('pending', { exact: true })).toHaveCount(3)
  await userPage.getByRole('button', { name: 'Remove three.txt' }).click()
  await expect(rows(userPage)).toHaveCount(2)
  await userPage.getByRole('checkbox', { name: 'Keep the location where pictures were taken' }).check()

  await uploadAll(userPage).click()
  await expect(row(userPage, 'one.txt').getByText('uploading', { exact: true })).toBeVisible()
  await expect(uploadAll(userPage)).toBeDisabled()
  await expect(userPage.getByRole('button', { name: 'Remove one.txt' })).toBeHidden()
  await expect(userPage.getByText('Uploading 1 of 2')).toBeVisible()
  expect(routes).toHaveLength(1)
  const body = routes[0]!.request().postData() ?? ''
  for (const [field, value] of [
    ['generate_caption', 'true'],
    ['extract_text', 'true'],
    ['keep_place', 'true'],
    ['wait', '0'],
  ]) {
    expect(body).toContain(`name="${field}"\r\n\r\n${value}\r\n`)
  }
  expect(body).toContain('filename="one.txt"')

  await respond(0, 202, itemOf(1))
  await expect(row(userPage, 'one.txt').getByText('Processing…')).toBeVisible()
  await expect(row(userPage, 'two.txt').getByText('uploading', { exact: true })).toBeVisible()
  await expectAccessible(userPage)
  await respond(1, 200, itemOf(2, { processing_status: 'completed', content: 'w'.repeat(150), caption: 'A letter' }))
  const second = row(userPage, 'two.txt')
  await expect(second.getByText('completed', { exact: true })).toBeVisible()
  await expect(second).toContainText('Already in your memory')
  await expect(second).toContainText('Caption: A letter')
  await expect(second.getByText(`${'w'.repeat(100)}…`, { exact: true })).toBeVisible()
  await expect(second.getByRole('link', { name: 'Open two.txt' })).toHaveAttribute('href', `/gallery/${idOf(2)}`)
  await expect(uploadAll(userPage)).toBeHidden()
  await userPage.getByRole('button', { name: 'Clear completed' }).click()
  await expect(rows(userPage)).toHaveCount(1)
})

test('a rejected file shows the reason and can be retried', async ({ userPage }) => {
  const { respond } = await holdUploads(userPage)
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('letter.txt'), textFile('other.txt')])
  await uploadAll(userPage).click()
  await respond(0, 415, { detail: 'This file can’t be read.', code: 'unsupported_type' })
  await expect(row(userPage, 'letter.txt').getByText('Error: This file can’t be read.')).toBeVisible()
  await expectAccessible(userPage)
  await respond(1, 201, itemOf(2, { processing_status: 'completed' }))
  await expect(row(userPage, 'other.txt').getByText('completed', { exact: true })).toBeVisible()
  await userPage.getByRole('button', { name: 'Retry letter.txt' }).click()
  await respond(2, 201, itemOf(1, { processing_status: 'completed', transcription: 'Good morning' }))
  await expect(row(userPage, 'letter.txt')).toContainText('Transcription: Good morning')
})

test('processing is shown live, and a failure with its reason', async ({ userPage }) => {
  const { respond } = await holdUploads(userPage)
  await userPage.route('**/api/media/0198*', (route) => route.fulfill({ status: 503, json: {} }))
  await mockEvents(userPage, [
    {
      type: 'media.progress',
      id: idOf(1),
      steps: [
        { name: 'inspect', status: 'completed', progress: 1, engine: null, error: null },
        { name: 'read', status: 'processing', progress: 0.5, engine: null, error: null },
      ],
    },
    { type: 'media.failed', id: idOf(2), error: 'The page is damaged.' },
  ])
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('one.txt'), textFile('two.txt')])
  await uploadAll(userPage).click()
  await respond(0, 202, itemOf(1))
  await respond(1, 202, itemOf(2))
  // The stream ends after these events and is opened again, as after a broken connection.
  await expect(row(userPage, 'one.txt')).toContainText('Reading text, 50%')
  await expect(row(userPage, 'two.txt')).toContainText('Error: The page is damaged.')
})

test('uploads continue on other screens, and can be stopped', async ({ userPage }) => {
  const { routes, respond } = await holdUploads(userPage)
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('one.txt'), textFile('two.txt')])
  await uploadAll(userPage).click()
  await expect.poll(() => routes.length).toBe(1)
  await userPage.getByRole('link', { name: 'Dashboard' }).click()
  await expect(userPage).toHaveURL(/\/dashboard$/)
  await expect(userPage.getByRole('heading', { level: 1, name: 'Hello' })).toBeVisible()
  await expect(userPage.getByRole('link', { name: 'Uploading 1 of 2' })).toBeVisible()
  await respond(0, 201, itemOf(1, { processing_status: 'completed' }))
  await expect.poll(() => routes.length).toBe(2)
  await expectAccessible(userPage)
  await userPage.getByRole('link', { name: 'Uploading 2 of 2' }).click()
  await expect(row(userPage, 'one.txt').getByText('completed', { exact: true })).toBeVisible()
  await userPage.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(row(userPage, 'two.txt').getByText('pending', { exact: true })).toBeVisible()
  await uploadAll(userPage).click()
  await expect.poll(() => routes.length).toBe(3)
  await userPage.getByRole('link', { name: 'Dashboard' }).click()
  await expect(userPage.getByRole('link', { name: 'Uploading 1 of 1' })).toBeVisible()
  await respond(2, 201, itemOf(2, { processing_status: 'completed' }))
  await userPage.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(rows(userPage).getByText('completed', { exact: true })).toHaveCount(2)
})

test('closing the page asks first only while an upload is running', async ({ userPage }) => {
  const { respond, routes } = await holdUploads(userPage)
  const dialogTypes: string[] = []
  userPage.on('dialog', (dialog) => {
    dialogTypes.push(dialog.type())
    void dialog.dismiss()
  })
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('one.txt')])
  await uploadAll(userPage).click()
  await expect.poll(() => routes.length).toBe(1)
  await userPage.close({ runBeforeUnload: true })
  await expect.poll(() => dialogTypes).toEqual(['beforeunload'])
  await respond(0, 201, itemOf(1, { processing_status: 'completed' }))
  await expect(row(userPage, 'one.txt').getByText('completed', { exact: true })).toBeVisible()
  const closed = userPage.waitForEvent('close')
  await userPage.close({ runBeforeUnload: true })
  await closed
  expect(dialogTypes).toEqual(['beforeunload'])
})

test('a skipped transcription shows its reason instead of “No words were found”', async ({ userPage }) => {
  const { respond } = await holdUploads(userPage)
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('note.txt')])
  await uploadAll(userPage).click()
  const error = 'The model was not on this server yet.'
  const skipped = { name: 'transcribe', status: 'skipped', progress: 0, engine: null, error } as const
  await respond(0, 201, itemOf(1, { processing_status: 'completed', processing_steps: [skipped] }))
  await expect(row(userPage, 'note.txt')).toContainText(`Transcribing speech: ${error}`)
  await expect(row(userPage, 'note.txt')).not.toContainText('No words were found')
})

test('files are pasted, and dropped anywhere on the page', async ({ userPage }) => {
  await userPage.goto('/upload')
  await expect(userPage.getByRole('heading', { name: 'Media Upload' })).toBeVisible()
  await userPage.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'], 'pasted.txt', { type: 'text/plain' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: transfer }))
  })
  await expect(row(userPage, 'pasted.txt')).toBeVisible()
  await userPage.getByRole('heading', { name: 'Media Upload' }).evaluate((heading) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'], 'dropped.txt', { type: 'text/plain' }))
    heading.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }))
  })
  await expect(row(userPage, 'dropped.txt')).toBeVisible()
  await expect(rows(userPage)).toHaveCount(2)
})

test('a letter is uploaded, read and found again', async ({ userPage }) => {
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([textFile('letter.txt', 'Dear Anna, the ferry to Hydra leaves at nine.')])
  await uploadAll(userPage).click()
  const letter = row(userPage, 'letter.txt')
  await expect(letter.getByText('completed', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(letter).toContainText('Extracted text: Dear Anna, the ferry to Hydra leaves at nine.')
  await expect(letter.getByRole('link', { name: 'Open letter.txt' })).toBeVisible()

  await picker(userPage).setInputFiles([textFile('copy.txt', 'Dear Anna, the ferry to Hydra leaves at nine.')])
  // recognised before it is sent
  await expect(row(userPage, 'copy.txt')).toContainText('Already in your memory')

  await userPage.goto('/memory?q=ferry')
  await expect(userPage.getByRole('heading', { name: 'Search Results (1)' })).toBeVisible()
  await expect(userPage.getByRole('listitem').locator('mark')).toHaveText('ferry')
  await expect(userPage.getByRole('link', { name: 'letter.txt' })).toBeVisible()
})

/** Image of a sign, drawn by the browser. */
async function drawSign(page: Page, words: string) {
  const base64 = await page.evaluate((line) => {
    const canvas = document.createElement('canvas')
    canvas.width = 1000
    canvas.height = 400
    const context = canvas.getContext('2d')!
    context.fillStyle = 'white'
    context.fillRect(0, 0, 1000, 400)
    context.fillStyle = 'black'
    context.font = '96px sans-serif'
    context.fillText(line, 60, 230)
    return canvas.toDataURL('image/png').split(',')[1]!
  }, words)
  return { name: 'sign.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
}

test('an image of a sign is uploaded, read and found by its words', async ({ userPage }) => {
  await userPage.goto('/upload')
  await picker(userPage).setInputFiles([await drawSign(userPage, 'HARBOUR BAKERY')])
  await uploadAll(userPage).click()
  const sign = row(userPage, 'sign.png')
  await expect(sign.getByText('completed', { exact: true })).toBeVisible({ timeout: 90_000 })
  await expect(sign).toContainText('Extracted text: HARBOUR BAKERY')

  await userPage.goto('/memory?q=bakery')
  const searchResults = userPage.getByRole('region', { name: /^Search Results/ }).getByRole('listitem')
  await expect(searchResults).toHaveCount(1)
  await expect(searchResults).toContainText('written in the picture')
  await expect(searchResults.locator('mark')).toHaveText('BAKERY')
  await expect
    .poll(() => searchResults.locator('img').evaluate((img: HTMLImageElement) => img.naturalWidth))
    .toBeGreaterThan(0)
  await searchResults.getByRole('link', { name: 'sign.png' }).click()
  await userPage.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
  await expect(userPage).toHaveURL(/\/gallery\/[0-9a-f-]{36}/)

  await userPage.goto('/memory?q=submarine')
  await expect(userPage.getByRole('heading', { name: 'No results found' })).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  test('the queue fits', async ({ userPage }) => {
    await userPage.setViewportSize({ width: 360, height: 740 })
    await userPage.goto('/upload')
    await picker(userPage).setInputFiles([textFile(`${'a-long-name-'.repeat(8)}.txt`)])
    await expect(rows(userPage)).toHaveCount(1)
    expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await expectAccessible(userPage)
  })
})
