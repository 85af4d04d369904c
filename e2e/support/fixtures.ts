import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type BrowserContext, type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import { type Account, startTestServer, type TestServer } from './server.ts'

interface TestFixtures {
  /** An account made for this test alone, with every permission. */
  person: Account
  /** A page on which `person` is signed in. */
  userPage: Page
  /** A page on which the administrator is signed in. */
  adminPage: Page
  /** Opens one more page, in a browser context of its own, on which this account is signed in. */
  openPageAs(
    account: Account,
    look?: Pick<
      BrowserContextOptions,
      'colorScheme' | 'deviceScaleFactor' | 'hasTouch' | 'serviceWorkers' | 'timezoneId' | 'viewport'
    >,
  ): Promise<Page>
  /** Complaints of this test's pages: uncaught errors, and violations of the content security policy. */
  complaints: string[]
}

interface WorkerFixtures {
  /** Variables that a file's server has beside or instead of the usual ones; given by `test.use` at the top of the file. */
  serverEnvironment: Record<string, string>
  /** The worker's server; tests share it, so each works with accounts of its own. */
  server: TestServer
}

/** No model at all, as `serverEnvironment`: files that are given the same one share a server. */
export const withoutModel = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '', CHAT_MODEL: '' }

/** Playwright's test on a real server; `page` is signed out, `userPage` and `adminPage` are signed in. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  serverEnvironment: [{}, { scope: 'worker', option: true }],
  server: [
    async ({ serverEnvironment }, use) => {
      // a process that ends soon has no use for faster code of its database: making it takes longer than it saves
      const server = await startTestServer(serverEnvironment, ['--liftoff-only'])
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  person: async ({ server }, use) => use(await server.createAccount()),

  complaints: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const complaints: string[] = []
      await use(complaints)
      expect(complaints, 'what the pages complained about').toEqual([])
    },
    { auto: true },
  ],
  page: async ({ page, complaints }, use) => {
    listenForComplaints(page, complaints)
    await use(page)
    await closePages(page.context(), complaints)
  },
  openPageAs: async ({ browser, server, complaints }, use) => {
    const contexts: BrowserContext[] = []
    await use(async ({ token }, look) => {
      const context = await browser.newContext({ serviceWorkers: 'block', ...look })
      contexts.push(context)
      const page = await context.newPage()
      listenForComplaints(page, complaints)
      await signInWhenOpened(page, server.url, token)
      return page
    })
    for (const context of contexts) {
      await closePages(context, complaints)
      await context.close()
    }
  },
  userPage: async ({ openPageAs, person }, use) => use(await openPageAs(person)),
  adminPage: async ({ openPageAs, server }, use) => use(await openPageAs(server.admin)),
})

/**
 * Signs the page in when it first opens an address of the server. A context that is made with a token opens a page of its own to put
 * it there, which is a fifth of what opening the dashboard takes.
 */
function signInWhenOpened(page: Page, serverUrl: string, token: string) {
  return page.addInitScript(
    (given) => {
      // the name stays with the page: who signs out there is signed out; frames that may not store have no origin
      if (window.name === 'signed in' || window.origin !== given.origin) return
      localStorage.setItem('token', given.token)
      window.name = 'signed in'
    },
    { origin: new URL(serverUrl).origin, token },
  )
}

/**
 * Closes pages before their context, of which Playwright would take pictures otherwise: of every page of every test, for the
 * case that what comes after the test fails. Of a test that failed it has taken them by now.
 */
async function closePages(context: BrowserContext, complaints: string[]): Promise<void> {
  if (complaints.length > 0) return
  for (const page of context.pages()) await page.close()
}

function listenForComplaints(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (/content security policy|trusted ?(html|script|type)/i.test(message.text()))
      complaints.push(`${page.url()}: ${message.text()}`)
  })
}

const everyLook = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 360 },
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1440 },
] as const

/**
 * Themes and widths in which screens are checked: light on desktop and dark on mobile, or all four combinations with
 * TEST_LONG.
 */
export const looks = process.env.TEST_LONG ? everyLook : everyLook.slice(0, 2)

/** axe as it is sent to browsers: its readable form is twice as long, and every page has to read it anew. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type WindowWithAxe = Window & { axe: Pick<typeof axe, 'run'> }

/** Expects that axe finds nothing on the page as it is now, once nothing on it fades or moves any more. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ effect, playState }) => playState !== 'running' || effect?.getComputedTiming().endTime === Infinity),
  )
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  // what it tells of all that is right takes as long to put together as finding what is not
  const violations = await page.evaluate(
    async () => (await (window as unknown as WindowWithAxe).axe.run({ resultTypes: ['violations'] })).violations,
  )
  const findings = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html}\n  ${failureSummary}`).join('\n')}`,
  )
  expect(findings, `what axe found on ${page.url()}`).toEqual([])
}

export { expect }
