import { haveConversation } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a conversation is shared by a link that a stranger reads until it is revoked', async ({
  userPage,
  server,
  person,
  browser,
}) => {
  await haveConversation(server, person, 'Lighthouses')
  await userPage.goto('/chat')
  const actions = userPage.locator('[data-session-link]').first().locator('xpath=..').getByRole('button')
  await userPage.locator('[data-session-link]').first().hover()
  await actions.click()
  await userPage.getByRole('menuitem', { name: 'Share…' }).click()
  await userPage.getByRole('button', { name: 'Make a link' }).click()
  const address = await userPage.getByText(/\/s\/[\w-]+\.[\w-]+$/).textContent()
  await expectAccessible(userPage)

  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(address!)
  await expect(stranger.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(stranger.getByRole('article').first()).toBeVisible()
  await expect(stranger.getByRole('button', { name: 'Continue as my own' })).toHaveCount(0)
  await expectAccessible(stranger)

  await userPage.getByRole('button', { name: /^Revoke the link/ }).click()
  await expect(userPage.getByText('There is no link to this conversation yet.')).toBeVisible()
  await stranger.reload()
  await expect(stranger.getByText('This link does not work any more')).toBeVisible()
  await stranger.context().close()
})
