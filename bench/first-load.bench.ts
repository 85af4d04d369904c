// Files that a browser with an empty cache loads until a screen is usable, and the time that takes on an average connection.
//   npm run build, then node bench/first-load.bench.ts [--runs 5] [--pictures 24] [--no-write]
// Ready is when the sign-in form, the dashboard's first heading, the message field, or the gallery's first picture has loaded. Scripts are
// those loaded until then, as sent (Brotli). Browser and server share the machine.
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { chromiumLaunchOptions } from '../e2e/support/browser.ts'
import { createConversation } from '../e2e/support/conversations.ts'
import { type Account, startTestServer } from '../e2e/support/server.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'
import { uploadPictures } from './support/some-pictures.ts'

const LATENCY_MS = 100
const MEGABITS_PER_SECOND = 9
const MAX_READY_MS = 1_500

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    pictures: { type: 'string', default: '24' },
    'no-write': { type: 'boolean', default: false },
  },
})
const runs = Number(flags.runs)

/** Screens with the selector that shows that they are ready; a picture must have loaded. */
const screens = [
  { name: 'sign-in', address: '/login', isSignedIn: false, readySelector: 'input[type=password]' },
  { name: 'dashboard', address: '/dashboard', isSignedIn: true, readySelector: '[role=tabpanel] h2' },
  { name: 'chat', address: '/chat', isSignedIn: true, readySelector: 'textarea' },
  { name: 'gallery', address: '/gallery', isSignedIn: true, readySelector: '[role=gridcell] img[src^="/api/"]' },
]

interface FirstLoad {
  files: number
  scriptBytes: number
  readyMs: number
}

async function load(browser: Browser, url: string, account: Account | null, readySelector: string): Promise<FirstLoad> {
  // a new context has an empty cache
  const context = await browser.newContext({ serviceWorkers: 'block' })
  try {
    const page = await context.newPage()
    if (account) await page.addInitScript((token) => localStorage.setItem('token', token), account.token)
    const devTools = await context.newCDPSession(page)
    await devTools.send('Network.enable')
    const bytesPerSecond = (MEGABITS_PER_SECOND * 1_000_000) / 8
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    })
    const scripts: Promise<number>[] = []
    page.on('requestfinished', (request) => {
      if (request.url().endsWith('.js')) scripts.push(request.sizes().then((sizes) => sizes.responseBodySize))
    })
    await page.goto(url, { waitUntil: 'commit' })
    const ready = await page.waitForFunction(
      (selector) => {
        const element = document.querySelector(selector)
        const isReady =
          element instanceof HTMLImageElement ? element.complete && element.naturalWidth > 0 : element !== null
        return isReady ? performance.now() : null
      },
      readySelector,
      { polling: 'raf' },
    )
    const readyMs = Number(await ready.jsonValue())
    const sizes = await Promise.all(scripts)
    return { files: sizes.length, scriptBytes: sizes.reduce((sum, size) => sum + size, 0), readyMs }
  } finally {
    await context.close()
  }
}

const machine = describeMachine()
const server = await startTestServer()
const browser = await chromium.launch(await chromiumLaunchOptions())
try {
  const account = await server.createAccount()
  await uploadPictures(server, account, Number(flags.pictures))
  await createConversation(server, account, 'A conversation', ['Hello there', 'Tell me about herons'])
  const rows: FigureTable['rows'] = []
  for (const { name, address, isSignedIn, readySelector } of screens) {
    const loads: FirstLoad[] = []
    for (let run = 0; run < runs; run++) {
      loads.push(await load(browser, server.url + address, isSignedIn ? account : null, readySelector))
    }
    const { median } = percentiles(loads.map(({ readyMs }) => readyMs))
    const files = Math.max(...loads.map((one) => one.files))
    const bytes = Math.max(...loads.map(({ scriptBytes }) => scriptBytes))
    const max = Math.max(...loads.map(({ readyMs }) => readyMs))
    const readyTarget = `target ≤ ${MAX_READY_MS}`
    rows.push([name, files, bytes / 1000, { value: median, comparison: readyTarget }, max])
    console.info(name, files, bytes, Math.round(median), Math.round(max))
  }
  const setup = `${LATENCY_MS} ms, ${MEGABITS_PER_SECOND} Mbit/s, ${runs} runs, ${flags.pictures} pictures`
  const metrics = ['script files', 'scripts, Brotli (kB)', 'ready, median (ms)', 'most (ms)']
  report('First load', machine, [{ setup, metrics, rows }], flags['no-write'])
} finally {
  await browser.close()
  await server.stop()
}
