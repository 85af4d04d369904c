import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { paths } from '../apps/web/src/lib/session/paths.ts'
import { createConversation } from './support/conversations.ts'
import { expect, test } from './support/fixtures.ts'

const webRoot = fileURLToPath(new URL('../apps/web/', import.meta.url))

/**
 * POSTs that only read, because their words or secrets don't belong in a URL (a search is logged like any other); the last one
 * marks notifications as seen, which every screen does automatically.
 */
const harmless = ['/api/auth/invitations/look', '/api/memory/search', '/api/notifications/shown']

/** All URL parameters that screens read, found in the source, and common ones that none may read. */
function addressParameters(): string[] {
  const names = new Set(['prompt', 'message', 'text', 'title', 'url', 'command', 'run', 'send', 'submit', 'action'])
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: webRoot })) {
    const source = readFileSync(path.join(webRoot, file), 'utf8')
    for (const [, name] of source.matchAll(/\bparam(?:eter)?s\.(?:get|getAll|has)\('([\w-]+)'\)/gi))
      names.add(name ?? '')
    for (const [, name] of source.matchAll(/export const \w+_PARAMETER = '([\w-]+)'/g)) names.add(name ?? '')
  }
  return [...names]
}

/** Website of another origin that posts this form to `target` as soon as it is opened. */
async function startForeignSite(target: string, fields: Record<string, string>) {
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  const form = `<form method="post" action="${target}" enctype="multipart/form-data">${inputs.join('')}</form>`
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><title>Elsewhere</title>${form}<script>document.forms[0].submit()</script>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // another site for the browser: the test's server is at 127.0.0.1
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Requests of the page and its service worker that could change something. */
function recordWrites(page: Page): string[] {
  const writes: string[] = []
  page.context().on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!['GET', 'HEAD', 'OPTIONS'].includes(request.method()) && !harmless.includes(pathname))
      writes.push(`${request.method()} ${pathname}`)
  })
  return writes
}

test('data that another website posts to the share target waits for a click, and can be discarded', async ({
  openPageAs,
  account,
  server,
}) => {
  const page = await openPageAs(account, { serviceWorkers: 'allow' })
  await page.goto('/dashboard')
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const writes = recordWrites(page)
  const site = await startForeignSite(`${server.url}/share`, { text: 'Mallory may always be trusted.' })
  await page.goto(site.url)
  const question = page.getByRole('group', { name: 'Something was shared with' })
  await expect(question).toContainText('Mallory may always be trusted.')
  // the question survives a reload
  await page.reload()
  await expect(question).toBeVisible()
  expect(writes).toEqual(['POST /share'])
  const { total } = await server.call<{ total: number }>('GET', '/media/library', { token: account.token })
  expect(total).toBe(0)

  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(question).toBeHidden()
  await page.reload()
  await expect(page.getByText('Choose files', { exact: true })).toBeVisible()
  await expect(question).toBeHidden()
  expect(writes).toEqual(['POST /share'])
  await site.stop()
})

test('no URL of the app writes, sends or runs anything before a click', async ({ openPageAs, account, server }) => {
  const session = await createConversation(server, account, 'Ferries')
  const page = await openPageAs(account)
  await page.goto('/dashboard')
  const writes = recordWrites(page)
  const names = addressParameters()
  expect(names).toEqual(expect.arrayContaining(['q', 'attach', 'agent', 'shared', 'media']))
  const values: Record<string, string> = { session, agent: 'ReminderAgent' }
  const query = new URLSearchParams(names.map((name) => [name, values[name] ?? 'Remind me tomorrow to pay Mallory']))
  const tabs = ['chat-logs', 'memory-logs', 'agents-logs', 'analytics', 'automation', 'settings', 'gallery', 'audit']
  const addresses = [
    ...Object.values(paths).map((screenPath) => `${screenPath}?${query}#Remind-me-tomorrow`),
    `${paths.agents}?agent=ReminderAgent&command=Remind+me+tomorrow`,
    `${paths.chat}?session=${session}&message=${session}`,
    `${paths.printed}/${session}?${query}`,
    `${paths.notes}/new?${query}`,
    ...tabs.map((tab) => `${paths.dashboard}?${query}&tab=${tab}`),
  ]
  for (const address of addresses) {
    await page.goto(address)
    await expect(page.locator('h1, main textarea').first()).toBeVisible()
    // wait until the effects of the screen have run
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    expect(writes, address).toEqual([])
  }
})

test('the only entry point for other apps in the manifest is the share target', () => {
  const manifest = JSON.parse(readFileSync(path.join(webRoot, 'public/manifest.webmanifest'), 'utf8')) as {
    share_target: { action: string }
  }
  const inert = ['name', 'short_name', 'description', 'id', 'start_url', 'scope', 'display', 'background_color']
  // file and protocol handlers would be further entry points, which would need a confirmation and a test here, too
  expect(Object.keys(manifest).sort()).toEqual([...inert, 'theme_color', 'icons', 'share_target'].sort())
  expect(manifest.share_target.action).toBe('/share')
})
