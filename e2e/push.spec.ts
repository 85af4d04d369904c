import { expect, test } from './support/fixtures.ts'

const TOLD = { title: 'Reminder', body: 'Tea is ready', link: '/chat', tag: 'reminder-1' }

/** What a page or worker of the web knows of notifications; these files are typed for Node. */
interface Scope {
  registration: { showNotification(title: string, options: object): Promise<void> }
  shown?: object[]
}

test('what a push service hands to the service worker is shown, unless a page is looked at', async ({
  openPageAs,
  person,
}) => {
  const page = await openPageAs(person, { serviceWorkers: 'allow' })
  await page.goto('/dashboard')
  const { origin } = new URL(page.url())
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error('no service worker runs')
  // a browser without a window shows no notifications and denies them, whatever it was granted: what it is asked is noted
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Scope
    scope.shown = []
    scope.registration.showNotification = async (title, options) => void scope.shown?.push({ title, ...options })
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
    debugging.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(TOLD) })

  await push()
  expect(await shown()).toEqual([])
  await page.goto('about:blank')
  await push()
  await expect
    .poll(shown)
    .toEqual([
      { title: 'Reminder', body: 'Tea is ready', tag: 'reminder-1', data: { link: '/chat' }, icon: '/icon-192.png' },
    ])
})
