import { answers, send } from './support/chat-page.ts'
import { createConversation } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a project is created, gets a new and a moved conversation, and is edited and deleted', async ({
  userPage: page,
  account,
  server,
}) => {
  await createConversation(server, account, 'Rivers')
  await page.goto('/chat')
  const list = page.getByRole('navigation', { name: 'Conversations' })
  const names = list.getByRole('listitem')
  const show = async (from: string, entry: string) => {
    await list.getByRole('button', { name: `Showing: ${from}` }).click()
    await page.getByRole('menu').getByText(entry, { exact: true }).click()
  }
  await show('All conversations', 'New project…')
  await page.getByRole('textbox', { name: 'Name' }).fill('The house')
  await page.getByRole('textbox', { name: 'Instructions' }).fill('Answer in one line.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(list.getByText('With instructions')).toBeVisible()
  await expect(list.getByText('This project has no conversations yet.')).toBeVisible()

  await list.getByRole('link', { name: 'New chat' }).click()
  await expect(page.getByRole('banner').or(page.locator('header')).getByText('The house')).toBeVisible()
  await send(page, 'How old is the roof?')
  await expect(answers(page)).toHaveCount(1)
  await expect(names).toHaveCount(1)
  await expectAccessible(page)

  await show('The house', 'All conversations')
  const row = names.filter({ hasText: 'Rivers' })
  await row.hover()
  await row.getByRole('button', { name: 'Actions for Rivers' }).click()
  await page.getByRole('menuitem', { name: 'Move to a project…' }).click()
  await page.getByRole('combobox', { name: 'Project' }).selectOption('The house')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await show('All conversations', 'The house')
  await expect(names).toHaveCount(2)

  await list.getByRole('button', { name: 'Edit The house' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('The old house')
  await page.getByRole('button', { name: 'Save' }).click()
  await list.getByRole('button', { name: 'Delete The old house' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(list.getByRole('button', { name: 'Showing: All conversations' })).toBeVisible()
  await expect(names).toHaveCount(2)
})
