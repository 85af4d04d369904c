import { composer } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a prompt is saved in the settings and inserted into a message by a slash command', async ({ userPage: page }) => {
  await page.goto('/dashboard?tab=settings')
  await page.getByRole('button', { name: 'New prompt' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('A short letter')
  await page.getByRole('textbox', { name: 'Command' }).fill('letter')
  await page.getByRole('textbox', { name: 'Text' }).fill('Write a short letter to {{name}}.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('/letter')).toBeVisible()

  await page.goto('/chat')
  await composer(page).fill('/le')
  await expect(page.getByRole('option', { name: /A short letter/ })).toBeVisible()
  await expectAccessible(page)
  await composer(page).press('Enter')
  await page.getByRole('textbox', { name: 'name' }).fill('Anna')
  await page.getByRole('button', { name: 'Insert' }).click()
  await expect(composer(page)).toHaveValue('Write a short letter to Anna.')
  await expect(composer(page)).toBeFocused()
})
