// What a browser with an empty cache fetches until a screen can be used, and how long that takes on a middling line.
//   npm run build, then node bench/first-load.bench.ts [--runs 5] [--pictures 24] [--no-write]
// Ready is when one can sign in, when the dashboard's first heading is there, when one can write, when the first picture has come. Scripts are
// those that came until then, as sent (Brotli). Browser and server share the machine.
import { parseArgs } from 'node:util'
import { type Browser, chromium } from '@playwright/test'
import { chromiumLaunchOptions } from '../e2e/support/browser.ts'
import { haveConversation } from '../e2e/support/conversations.ts'
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

/** Screens, and what of each says that it is ready: a picture has to have come. */
const screens = [
  { name: 'sign-in', address: '/login', isSignedIn: false, sign: 'input[type=password]' },
  { name: 'dashboard', address: '/dashboard', isSignedIn: true, sign: '[role=tabpanel] h2' },
  { name: 'chat', address: '/chat', isSignedIn: true, sign: 'textarea' },
  { name: 'gallery', address: '/gallery', isSignedIn: true, sign: '[role=gridcell] img[src^="/api/"]' },
]

interface FirstLoad {
  files: number
  scriptBytes: number
  readyMs: number
}

async function load(browser: Browser, url: string, who: Account | null, sign: string): Promise<FirstLoad> {
  // a context of its own has an empty cache
  const context = await browser.newContext({ serviceWorkers: 'block' })
  try {
    const page = await context.newPage()
    if (who) await page.addInitScript((token) => localStorage.setItem('token', token), who.token)
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
        const found = document.querySelector(selector)
        const isThere = found instanceof HTMLImageElement ? found.complete && found.naturalWidth > 0 : found !== null
        return isThere ? performance.now() : null
      },
      sign,
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
  const person = await server.createAccount()
  await uploadPictures(server, person, Number(flags.pictures))
  await haveConversation(server, person, 'A conversation', ['Hello there', 'Tell me about herons'])
  const rows: FigureTable['rows'] = []
  for (const { name, address, isSignedIn, sign } of screens) {
    const loads: FirstLoad[] = []
    for (let run = 0; run < runs; run++) {
      loads.push(await load(browser, server.url + address, isSignedIn ? person : null, sign))
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
