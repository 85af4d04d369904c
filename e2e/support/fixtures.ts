import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type BrowserContext, type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import { type Account, startTestServer, type TestServer } from './server.ts'

interface TestFixtures {
  /** Account created for this test, with every permission. */
  account: Account
  /** Page signed in as `account`. */
  userPage: Page
  /** Page signed in as the administrator. */
  adminPage: Page
  /** Opens another page, in a separate browser context, signed in as this account. */
  openPageAs(
    account: Account,
    options?: Pick<
      BrowserContextOptions,
      'colorScheme' | 'deviceScaleFactor' | 'hasTouch' | 'serviceWorkers' | 'timezoneId' | 'viewport'
    >,
  ): Promise<Page>
  /** Uncaught errors and content security policy violations of this test's pages. */
  pageErrors: string[]
}

interface WorkerFixtures {
  /** Environment variables that add to or replace the server's usual ones; set with `test.use` at the top of a file. */
  serverEnvironment: Record<string, string>
  /** Server shared by the worker's tests, so each test uses its own accounts. */
  server: TestServer
}

/** `serverEnvironment` without any model; files with the same environment share a server. */
export const withoutModel = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '', CHAT_MODEL: '' }

/** Playwright's test on a real server; `page` is signed out, `userPage` and `adminPage` are signed in. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  serverEnvironment: [{}, { scope: 'worker', option: true }],
  server: [
    async ({ serverEnvironment }, use) => {
      // optimising the database's WebAssembly takes longer than it saves in a short-lived process
      const server = await startTestServer(serverEnvironment, ['--liftoff-only'])
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  account: async ({ server }, use) => use(await server.createAccount()),

  pageErrors: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const pageErrors: string[] = []
      await use(pageErrors)
      expect(pageErrors, 'errors of the pages').toEqual([])
    },
    { auto: true },
  ],
  page: async ({ page, pageErrors }, use) => {
    recordPageErrors(page, pageErrors)
    await use(page)
    await closePages(page.context(), pageErrors)
  },
  openPageAs: async ({ browser, server, pageErrors }, use) => {
    const contexts: BrowserContext[] = []
    await use(async ({ token }, options) => {
      const context = await browser.newContext({ serviceWorkers: 'block', ...options })
      contexts.push(context)
      const page = await context.newPage()
      recordPageErrors(page, pageErrors)
      await signInWhenOpened(page, server.url, token)
      return page
    })
    for (const context of contexts) {
      await closePages(context, pageErrors)
      await context.close()
    }
  },
  userPage: async ({ openPageAs, account }, use) => use(await openPageAs(account)),
  adminPage: async ({ openPageAs, server }, use) => use(await openPageAs(server.admin)),
})

/**
 * Signs the page in when it first opens an address of the server. A context created with a token (`storageState`) opens an extra
 * page to store it, which takes a fifth as long as opening the dashboard.
 */
function signInWhenOpened(page: Page, serverUrl: string, token: string) {
  return page.addInitScript(
    (session) => {
      // window.name outlives navigations, so a sign-out on the page lasts; frames without storage have no origin
      if (window.name === 'signed in' || window.origin !== session.origin) return
      localStorage.setItem('token', session.token)
      window.name = 'signed in'
    },
    { origin: new URL(serverUrl).origin, token },
  )
}

/**
 * Closes pages before their context: Playwright would otherwise take a screenshot of every page of every test, in case the
 * teardown fails. For a failed test, it has taken them by now.
 */
async function closePages(context: BrowserContext, pageErrors: string[]): Promise<void> {
  if (pageErrors.length > 0) return
  for (const page of context.pages()) await page.close()
}

function recordPageErrors(page: Page, pageErrors: string[]): void {
  page.on('pageerror', (error) => pageErrors.push(`${page.url()}: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (/content security policy|trusted ?(html|script|type)/i.test(message.text()))
      pageErrors.push(`${page.url()}: ${message.text()}`)
  })
}

const allThemesAndWidths = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1440 },
] as const

/**
 * Themes and widths in which screens are checked: light on desktop and dark on mobile, or all four combinations with
 * TEST_LONG.
 */
export const themesAndWidths = process.env.TEST_LONG ? allThemesAndWidths : allThemesAndWidths.slice(0, 2)

/** Minified axe; the readable form is twice as long, and each page has to parse it. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type WindowWithAxe = Window & { axe: Pick<typeof axe, 'run'> }

/** Expects no axe violations on the current page, once its animations have ended. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ effect, playState }) => playState !== 'running' || effect?.getComputedTiming().endTime === Infinity),
  )
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  // collecting the passed checks takes as long as finding the violations
  const violations = await page.evaluate(
    async () => (await (window as unknown as WindowWithAxe).axe.run({ resultTypes: ['violations'] })).violations,
  )
  const findings = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
  )
  expect(findings, `axe violations on ${page.url()}`).toEqual([])
}

export { expect }
