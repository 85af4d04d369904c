import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import lighthouse, { type Config } from 'lighthouse'
import { chromiumLaunchOptions } from './browser.ts'
import type { Account, TestServer } from './server.ts'

/** Lighthouse score of a category, 0 to 100, and the audits that cost points. */
export interface LighthouseScore {
  score: number
  faults: string[]
}

export interface LighthouseBrowser {
  /** Opens an address of the server as `who` is shown it (null: somebody who is signed out), with an empty cache, and judges it. */
  judge(address: string, who: Account | null): Promise<Record<string, LighthouseScore>>
  close(): Promise<void>
}

type Settings = NonNullable<Config['settings']>

/** A connection that slows nothing down, and a window as it is: what is judged then does not depend on the machine. */
const asItIs: Settings = {
  formFactor: 'desktop',
  screenEmulation: { disabled: true, width: 1350, height: 940, deviceScaleFactor: 1, mobile: false },
  throttlingMethod: 'provided',
  // the stream of a person's events has no end, for which Lighthouse would wait 45 seconds
  maxWaitForLoad: 10_000,
  // a picture of all that can be scrolled, with the place of each element, which only a report that is looked at needs
  disableFullPageScreenshot: true,
}

/**
 * Starts a browser that Lighthouse drives over its debugging port.
 * @param categories what is judged: `performance`, `accessibility`, `best-practices`, `seo`
 * @param settings how the page is opened; Lighthouse's own are those of a slow phone
 */
export async function startLighthouse(
  server: Pick<TestServer, 'url'>,
  categories: string[],
  settings: Settings = asItIs,
): Promise<LighthouseBrowser> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mira-lighthouse-'))
  const options = await chromiumLaunchOptions()
  // Lighthouse opens its pages in the browser's own context: what is kept there signs them in
  const context = await chromium.launchPersistentContext(folder, {
    ...options,
    args: [...options.args, '--remote-debugging-port=0'],
    serviceWorkers: 'block',
  })
  const port = Number((await readFile(path.join(folder, 'DevToolsActivePort'), 'utf8')).split('\n')[0])
  const page = context.pages()[0] ?? (await context.newPage())
  const devTools = await context.newCDPSession(page)
  const config: Config = { extends: 'lighthouse:default', settings: { ...settings, onlyCategories: categories } }
  return {
    async judge(address, who) {
      await page.goto(`${server.url}/login`)
      await page.evaluate((token) => {
        localStorage.clear()
        if (token !== null) localStorage.setItem('token', token)
      }, who?.token ?? null)
      // left first: what that page still loads would be in the cache again
      await page.goto('about:blank')
      await devTools.send('Network.clearBrowserCache')
      const flags = { port, disableStorageReset: true, logLevel: 'error' as const }
      const report = (await lighthouse(server.url + address, flags, config))?.lhr
      if (!report || report.runtimeError || new URL(report.finalDisplayedUrl).pathname !== address) {
        throw new Error(`${address} could not be judged: ${report?.runtimeError?.message ?? report?.finalDisplayedUrl}`)
      }
      return Object.fromEntries(
        Object.values(report.categories).map(({ id, score, auditRefs }) => {
          const audits = auditRefs.filter(({ weight }) => weight > 0).map((ref) => report.audits[ref.id])
          const faults = audits.flatMap((audit) =>
            audit && audit.score !== null && audit.score < 0.9 ? [`${audit.id}: ${audit.title}`] : [],
          )
          return [id, { score: Math.round((score ?? 0) * 100), faults }]
        }),
      )
    },
    async close() {
      await context.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
