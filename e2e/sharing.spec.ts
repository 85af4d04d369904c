import { expect, expectAccessible, test } from './support/fixtures.ts'

test('data shared by another app is uploaded on a click, and the page says when the server is unreachable', async ({
  openPageAs,
  account,
}) => {
  const page = await openPageAs(account, { serviceWorkers: 'allow', viewport: { width: 390, height: 800 } })
  await page.goto('/dashboard')
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))

  // a phone shares with an installed app by posting a form to its page
  await page.evaluate(() => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share' })
    form.enctype = 'multipart/form-data'
    const files = Object.assign(document.createElement('input'), { type: 'file', name: 'files' })
    const transfer = new DataTransfer()
    transfer.items.add(new File(['Dear Anna, the boat leaves at nine.'], 'letter.txt', { type: 'text/plain' }))
    files.files = transfer.files
    const title = Object.assign(document.createElement('input'), { name: 'title', value: 'Timetable: ferry' })
    const text = Object.assign(document.createElement('input'), { name: 'text', value: 'The ferry leaves at nine.' })
    form.append(files, title, text)
    document.body.append(form)
    form.submit()
  })
  await expect(page).toHaveURL(/\/upload$/)
  const question = page.getByRole('group', { name: 'Something was shared with' })
  // visible on a phone without scrolling
  await expect(question.getByRole('button', { name: 'Add to memory' })).toBeInViewport()
  await expect(question).toContainText('letter.txt')
  await expect(question).toContainText('Timetable: ferry')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Add to memory' }).click()
  const queue = page.getByRole('list', { name: 'Upload queue' })
  // the toast disappears after some seconds
  await expect(page.getByRole('listitem').filter({ hasText: 'The note is in your memory' })).toContainText(
    'Timetable ferry.md',
  )
  await expect(queue.getByRole('listitem').filter({ hasText: 'letter.txt' })).toContainText('completed')
  // another load doesn't share it again
  await page.goto('/upload?shared')
  await expect(page).toHaveURL(/\/upload$/)
  await expect(question).toBeHidden()
  await expect(queue).toBeHidden()

  await page.context().setOffline(true)
  // a service worker that restarts at this moment goes offline slightly later than its pages
  await expect(async () => {
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { name: 'The server can’t be reached' })).toBeVisible({ timeout: 5000 })
  }).toPass()
  await expect(page.getByText('Your shared items stay')).toBeHidden()
  // the page that a share opens meanwhile
  await page.goto('/upload?shared')
  await expect(page.getByText('Your shared items stay on this device for an hour.')).toBeVisible()
  await page.goto('/dashboard')
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('tablist').first()).toBeVisible()
})

test('a share that the device has no space for shows an error', async ({ openPageAs, account }) => {
  const page = await openPageAs(account, { serviceWorkers: 'allow', viewport: { width: 390, height: 800 } })
  await page.goto('/dashboard')
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const [worker] = page.context().serviceWorkers()
  await worker?.evaluate(() => {
    Cache.prototype.put = () => Promise.reject(new DOMException('Quota exceeded.', 'QuotaExceededError'))
  })
  await page.evaluate(() => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share' })
    form.enctype = 'multipart/form-data'
    form.append(Object.assign(document.createElement('input'), { name: 'text', value: 'The ferry leaves at nine.' }))
    document.body.append(form)
    form.submit()
  })
  await expect(page).toHaveURL(/\/upload$/)
  await expect(page.getByText('Couldn’t save what was shared', { exact: true })).toBeVisible()
})

test('a share that arrives before the app can receive it shows an error that asks to share again', async ({
  userPage,
}) => {
  await userPage.goto('/dashboard')
  await userPage.evaluate(() => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share' })
    form.enctype = 'multipart/form-data'
    const files = Object.assign(document.createElement('input'), { type: 'file', name: 'files' })
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'.repeat(3_000_000)], 'letter.txt', { type: 'text/plain' }))
    files.files = transfer.files
    form.append(files)
    document.body.append(form)
    form.submit()
  })
  await expect(userPage).toHaveURL(/\/upload$/)
  await expect(userPage.getByRole('region', { name: 'Messages' }).getByText('share it again')).toBeVisible()
})
