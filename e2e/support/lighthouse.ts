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
  failedAudits: string[]
}

export interface LighthouseBrowser {
  /** Opens an address of the server as an account (null: signed out), with an empty cache, and audits it. */
  audit(address: string, account: Account | null): Promise<Record<string, LighthouseScore>>
  close(): Promise<void>
}

type Settings = NonNullable<Config['settings']>

/** For categories in which speed doesn't count: neither throttled nor on an emulated screen. */
const unthrottled: Settings = {
  formFactor: 'desktop',
  screenEmulation: { disabled: true, width: 1350, height: 940, deviceScaleFactor: 1, mobile: false },
  throttlingMethod: 'provided',
  // Lighthouse would wait 45 seconds for the event stream, which never ends
  maxWaitForLoad: 10_000,
  // only a rendered report needs the full-page screenshot
  disableFullPageScreenshot: true,
}

/**
 * Starts a browser that Lighthouse drives over its debugging port.
 * @param categories audited categories: `performance`, `accessibility`, `best-practices`, `seo`
 * @param settings Lighthouse's settings; its defaults emulate a slow phone
 */
export async function startLighthouse(
  server: Pick<TestServer, 'url'>,
  categories: string[],
  settings: Settings = unthrottled,
): Promise<LighthouseBrowser> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mira-lighthouse-'))
  const options = await chromiumLaunchOptions()
  // Lighthouse opens its pages in the default browser context, whose storage signs them in
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
    async audit(address, account) {
      await page.goto(`${server.url}/login`)
      await page.evaluate((token) => {
        localStorage.clear()
        if (token !== null) localStorage.setItem('token', token)
      }, account?.token ?? null)
      // leave the page first: what it still loads would end up in the cache again
      await page.goto('about:blank')
      await devTools.send('Network.clearBrowserCache')
      const flags = { port, disableStorageReset: true, logLevel: 'error' as const }
      const report = (await lighthouse(server.url + address, flags, config))?.lhr
      if (!report || report.runtimeError || new URL(report.finalDisplayedUrl).pathname !== address) {
        throw new Error(`${address} couldn’t be audited: ${report?.runtimeError?.message ?? report?.finalDisplayedUrl}`)
      }
      return Object.fromEntries(
        Object.values(report.categories).map(({ id, score, auditRefs }) => {
          const audits = auditRefs.filter(({ weight }) => weight > 0).map((ref) => report.audits[ref.id])
          const failedAudits = audits.flatMap((audit) =>
            audit && audit.score !== null && audit.score < 0.9 ? [`${audit.id}: ${audit.title}`] : [],
          )
          return [id, { score: Math.round((score ?? 0) * 100), failedAudits }]
        }),
      )
    },
    async close() {
      await context.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
