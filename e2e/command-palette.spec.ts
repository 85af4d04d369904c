import { haveConversation } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('Ctrl K leads to pages, conversations and commands from every screen, also while somebody writes', async ({
  userPage,
  person,
  server,
}) => {
  await haveConversation(server, person, 'Rhubarb in the garden')
  await userPage.goto('/chat')
  await userPage.getByRole('textbox', { name: 'Message' }).fill('half a sentence')
  await userPage.keyboard.press('Control+k')
  const field = userPage.getByRole('combobox', { name: 'Go to anything' })
  await expect(field).toBeFocused()
  await expectAccessible(userPage)
  await field.fill('gall')
  await expect(userPage.getByRole('option', { name: 'Gallery Page' })).toHaveAttribute('aria-selected', 'true')
  await userPage.keyboard.press('Enter')
  await expect(userPage).toHaveURL(/\/gallery$/)

  await userPage.keyboard.press('Control+k')
  await field.fill('rhubarb')
  await userPage.getByRole('option', { name: /Rhubarb.*Conversation/ }).click()
  await expect(userPage).toHaveURL(/\/chat\?session=/)

  await userPage.keyboard.press('Control+k')
  await field.fill('rhubarb pie')
  await userPage.getByRole('option', { name: 'Search the memory for “rhubarb pie”' }).click()
  await expect(userPage).toHaveURL(/\/memory\?q=rhubarb\+pie/)

  await userPage.keyboard.press('Control+k')
  await userPage.keyboard.press('Escape')
  await expect(field).toHaveCount(0)
})
