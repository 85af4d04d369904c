import { composer } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

const MESSAGE = { title: 'Reminder', body: 'Tea is ready', link: '/chat', tag: 'reminder-1', renotify: true }

/** Notification API of pages and service workers; these files are typed for Node. */
interface Scope {
  registration: {
    showNotification(title: string, options: object): Promise<void>
    getNotifications(filter: { tag: string }): Promise<{ close(): void }[]>
  }
  shown?: object[]
}

test('a push message is shown as a notification, silently and for a moment while a page is visible', async ({
  openPageAs,
  account,
}) => {
  const page = await openPageAs(account, { serviceWorkers: 'allow' })
  await page.goto('/dashboard')
  const { origin } = new URL(page.url())
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error('no service worker runs')
  // a headless browser denies notifications, whatever it was granted, so the calls are recorded instead
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope
    scope.shown = []
    scope.registration.showNotification = async (title, options) => void scope.shown?.push({ title, ...options })
    scope.registration.getNotifications = async ({ tag }) => [{ close: () => void scope.shown?.push({ closed: tag }) }]
  })
  const shown = () => worker.evaluate(() => (globalThis as unknown as Scope).shown)

  const debugging = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    debugging.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    })
  })
  await debugging.send('ServiceWorker.enable')
  const registrationId = await registered
  const push = () =>
    debugging.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(MESSAGE) })

  const notification = {
    ...{ title: 'Reminder', body: 'Tea is ready', tag: 'reminder-1' },
    ...{ data: { link: '/chat' }, icon: '/icon-192.png' },
  }
  await push()
  const silent = [{ ...notification, silent: true }, { closed: 'reminder-1' }]
  await expect.poll(shown).toEqual(silent)
  await page.goto('about:blank')
  await push()
  await expect.poll(shown).toEqual([...silent, { ...notification, renotify: true }])
})

test('clicking a notification navigates the open page and keeps the draft', async ({ openPageAs, account }) => {
  const page = await openPageAs(account, { serviceWorkers: 'allow' })
  await page.goto('/chat')
  // the component with this button also handles clicks on notifications
  await expect(page.getByRole('button', { name: /^Notifications/ })).toBeVisible()
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const field = composer(page)
  await field.fill('Half a thought')
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error('no service worker runs')
  const press = (link: string) =>
    worker.evaluate((path) => {
      // a browser only focuses a page after a user gesture
      const scope = globalThis as unknown as { WindowClient: { prototype: object }; open(link: string): Promise<void> }
      Object.assign(scope.WindowClient.prototype, { focus: async () => {} })
      return scope.open(path)
    }, link)

  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  await press('/gallery')
  await expect(page).toHaveURL(/\/gallery$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await press('/chat')
  await expect(field).toHaveValue('Half a thought')
  expect(loads).toBe(0)
  await press('https://elsewhere.example/')
  await expect(page).toHaveURL(/\/chat$/)
})
