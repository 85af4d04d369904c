import { Buffer } from 'node:buffer'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textPdf } from '../apps/api/test/pdf-files.ts'
import { plainImage } from '../apps/api/test/pictures.ts'
import { createThreeSceneVideo } from '../apps/api/test/videos.ts'
import { createConversation } from './support/conversations.ts'
import { expect, test } from './support/fixtures.ts'
import {
  holdRequests,
  recordLayoutShifts,
  trackRequests,
  waitForPaint,
  waitUntilLoaded,
} from './support/layout-shift.ts'
import { upload } from './support/library.ts'

const PHONE = { width: 390, height: 844 }
/** Half of the cumulative layout shift that browser vendors call good. */
const MAX_SHIFT = 0.05

const lines = ['The lease of the garden', 'ends on the last day of March.']

async function makeVideo(): Promise<Buffer<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'mira-video-'))
  try {
    const { filename } = await createThreeSceneVideo(folder, 'webm', { width: 320, height: 180 })
    return Buffer.from(await readFile(filename))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const files: Readonly<Record<string, () => Promise<Buffer<ArrayBuffer>>>> = {
  'lease.pdf': async () => Buffer.from(await textPdf([{ lines }, { lines }])),
  'slides.pdf': async () => Buffer.from(await textPdf([{ lines, width: 842, height: 474 }])),
  'portrait.png': async () => Buffer.from(await plainImage({ width: 600, height: 900, colour: '#205080' })),
  'film.webm': makeVideo,
  'letter.txt': async () => Buffer.from(Array.from({ length: 12 }, () => lines.join(' ')).join('\n\n')),
  'table.csv': async () => Buffer.from(Array.from({ length: 40 }, (_, row) => `row ${row},${row * 7}`).join('\n')),
}

for (const [name, make] of Object.entries(files)) {
  test(`${name} opens on a phone with hardly any layout shift`, async ({ server, account, openPageAs }) => {
    const item = await upload(server, account, name, await make())
    const page = await openPageAs(account, { viewport: PHONE })
    const shifts = await recordLayoutShifts(page)
    // each part is painted before the next one arrives
    const showView = await holdRequests(page, '**/assets/item-*.js')
    const showItem = await holdRequests(page, `**/api/media/${item.id}`)
    const showPictures = await holdRequests(
      page,
      /\/api\/media\/[\w-]+\/(?:pages|frames|thumbnail|preview|file|paper)\b/,
    )
    await page.goto(`/gallery/${item.id}`)
    await expect(page.getByRole('button', { name: 'Back to the library' })).toBeVisible()
    await waitForPaint(page)
    showView()
    await expect(page.getByRole('button', { name: 'Next item' })).toBeVisible()
    await waitForPaint(page)
    showItem()
    await expect(page.getByRole('complementary')).toBeVisible()
    await waitForPaint(page)
    showPictures()
    await waitUntilLoaded(page)
    const { sum, moved } = await shifts()
    expect(sum, moved.join('\n')).toBeLessThan(MAX_SHIFT)
  })
}

const tabs = ['chat-logs', 'memory-logs', 'agents-logs', 'analytics', 'automation', 'settings']
const screens = [
  ...['/dashboard', '/chat', '/gallery', '/memory?q=lease', '/agents', '/upload', '/notes/new'],
  ...['/effects', '/effects?tab=gallery', ...tabs.map((tab) => `/dashboard?tab=${tab}`)],
  ...['/admin', '/admin?tab=system', '/admin?tab=settings', '/admin?tab=audit'],
]

test('every screen loads on a phone over a slow connection with hardly any layout shift', async ({
  server,
  openPageAs,
}) => {
  const account = await server.createAccount({ role: 'admin' })
  await upload(server, account, 'lease.pdf', await (files['lease.pdf'] as () => Promise<Buffer<ArrayBuffer>>)())
  await upload(server, account, 'letter.txt', lines.join(' '))
  await upload(
    server,
    account,
    'blue.png',
    Buffer.from(await plainImage({ width: 900, height: 600, colour: '#205080' })),
  )
  await createConversation(server, account, 'About the garden', ['Hello there', 'When does the lease end?'])
  const page = await openPageAs(account, { viewport: PHONE })
  const shifts = await recordLayoutShifts(page)
  const waitForResponses = trackRequests(page)
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Network.enable')
  // each screen as on a first visit
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const connection = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 }
  await devTools.send('Network.emulateNetworkConditions', { offline: false, ...connection })
  const failures: string[] = []
  for (const address of screens) {
    await page.goto(address)
    await waitUntilLoaded(page)
    // requests made after the first paint, and the requests that follow from them
    for (let round = 0; round < 2; round++) {
      await waitForPaint(page)
      await waitForResponses()
    }
    await waitUntilLoaded(page)
    const { sum, moved } = await shifts()
    if (sum >= MAX_SHIFT) failures.push(`${address}: ${sum.toFixed(3)}\n${moved.join('\n')}`)
  }
  expect(failures.join('\n\n')).toBe('')
})
