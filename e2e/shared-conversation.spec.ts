import { createConversation, sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a conversation is shared by a link that anyone can read until it is revoked', async ({
  userPage,
  server,
  account,
  browser,
}) => {
  const id = await createConversation(server, account, 'Lighthouses')
  server.openAi.when('Make a page', { text: '```html\n<h1>A page</h1>\n```' })
  await sendMessage(server, account, 'Make a page', id)
  await userPage.goto('/chat')
  const actions = userPage.locator('[data-session-link]').first().locator('xpath=..').getByRole('button')
  await userPage.locator('[data-session-link]').first().hover()
  await actions.click()
  await userPage.getByRole('menuitem', { name: 'Share…' }).click()
  await userPage.getByRole('button', { name: 'Create a link' }).click()
  const address = await userPage.getByText(/\/s\/[\w-]+\.[\w-]+$/).textContent()
  await expectAccessible(userPage)

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(address!)
  await expect(stranger.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(stranger.getByRole('article').first()).toBeVisible()
  await expect(stranger.getByRole('button', { name: 'Continue as my own conversation' })).toHaveCount(0)
  // shown as code only, without a button to open it
  await expect(stranger.getByText('<h1>A page</h1>')).toBeVisible()
  await expect(stranger.getByRole('button', { name: 'Show beside the conversation' })).toHaveCount(0)
  await expect(stranger.locator('iframe')).toHaveCount(0)
  await expectAccessible(stranger)

  await userPage.getByRole('button', { name: /^Revoke the link/ }).click()
  await expect(userPage.getByText('There’s no link to this conversation yet.')).toBeVisible()
  await stranger.reload()
  await expect(stranger.getByText('This link no longer works')).toBeVisible()
  await stranger.context().close()
})
