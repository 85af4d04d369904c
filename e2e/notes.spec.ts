import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a note is written, previewed, saved, edited and found', async ({ userPage: page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/upload')
  await page.getByRole('link', { name: 'Write a note' }).click()
  await page.getByLabel('Text', { exact: true }).fill('## Boiler\n\n- [x] **serviced** in May\n- [ ] the valve drips')
  await page.getByRole('tab', { name: 'Preview' }).click()
  await expect(page.getByRole('heading', { name: 'Boiler', level: 2 })).toBeVisible()
  await expectAccessible(page)
  // the draft is restored
  await page.reload()
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue(/the valve drips/)
  await page.screenshot({ path: process.env.SHOTS ? `${process.env.SHOTS}/note-write.png` : undefined })
  await page.getByLabel('Text', { exact: true }).press('Control+Enter')

  await expect(page).toHaveURL(/\/gallery\/[\w-]+$/)
  await expect(page.getByRole('heading', { name: 'Boiler.md' })).toBeVisible()
  await expect(page.getByText('the valve drips')).toBeVisible()
  await expectAccessible(page)
  await page.screenshot({ path: process.env.SHOTS ? `${process.env.SHOTS}/note-item.png` : undefined })

  await page.getByRole('link', { name: 'Edit the note' }).first().click()
  await page.getByLabel('Title').fill('Heating')
  await page.getByLabel('Text', { exact: true }).fill('The valve is mended.')
  await page.getByRole('button', { name: 'Save note' }).click()
  await expect(page.getByRole('heading', { name: 'Heating.md' })).toBeVisible()
  await expect(page.getByText('The valve is mended.')).toBeVisible()

  await page.goto('/memory?q=valve')
  await expect(page.getByText('mended').first()).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('write a no')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/notes\/new$/)
})

test('an address of a page that can’t be saved shows the reason', async ({ userPage: page }) => {
  await page.goto('/upload')
  const address = page.getByLabel('Page address')
  await address.fill('http://192.168.0.1/router')
  await address.press('Enter')
  await expect(page.getByText('This address isn’t on the public internet')).toBeVisible()
  await expectAccessible(page)
  await page.screenshot({ path: process.env.SHOTS ? `${process.env.SHOTS}/page-address.png` : undefined })
})

test('text pasted on the upload screen becomes a note', async ({ userPage: page }) => {
  await page.goto('/upload')
  await expect(page.getByText('Drop files or folders here')).toBeVisible()
  await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'Milk and bread\nfor Sunday')
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await expect(page.getByLabel('Title')).toHaveValue('Milk and bread')
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Milk and bread\nfor Sunday')
})
