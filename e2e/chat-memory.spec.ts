import type { Page } from '@playwright/test'
import { composer } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'

const answer = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' }).last()
const sources = (page: Page) => answer(page).getByRole('list', { name: 'Sources' }).getByRole('listitem')

const LEASE = 'The notice period of the boathouse is three months to the end of a quarter.'

async function ask(page: Page, question: string) {
  await page.goto('/chat')
  await composer(page).fill(question)
  await composer(page).press('Enter')
}

test('an answer of a model cites the document in question, and the citation opens it', async ({
  userPage,
  account,
  server,
}) => {
  const { id } = await upload(server, account, 'boathouse.txt', LEASE)
  // an answer doesn't wait for the first search of a server
  await server.call('GET', '/media/search?query=boathouse', { token: account.token })
  server.openAi.when('notice period of the boathouse', {
    text: 'The notice period is **three months** [1]. Whales sing under water [1].',
  })
  await ask(userPage, 'What is the notice period of the boathouse?')
  await expect(answer(userPage)).toContainText('The notice period is three months 1. Whales sing under water.')
  await expect(sources(userPage)).toHaveText([/1boathouse\.txt.*The notice period of the boathouse is three months/])
  await expectAccessible(userPage)
  await userPage.reload()
  const citation = answer(userPage).getByRole('link', { name: 'Source 1: boathouse.txt' })
  await citation.focus()
  await userPage.keyboard.press('Enter')
  const panel = userPage.getByRole('dialog', { name: 'boathouse.txt' })
  await expect(panel.getByText(LEASE).first()).toBeVisible()
  // the panel doesn't cover the answer
  const [panelBox, answerBox] = [await panel.boundingBox(), await answer(userPage).boundingBox()]
  expect((answerBox?.x ?? 0) + (answerBox?.width ?? 0)).toBeLessThanOrEqual(panelBox?.x ?? 0)
  await expectAccessible(userPage)
  await userPage.keyboard.press('Escape')
  await expect(citation).toBeFocused()
  // in a smaller window, the conversation list collapses to make room, and is restored afterwards
  await userPage.setViewportSize({ width: 1024, height: 768 })
  const list = userPage.getByRole('navigation', { name: 'Conversations' })
  await list.getByRole('searchbox').fill('boathouse')
  await citation.press('Enter')
  await expect(panel).toBeVisible()
  await expect(list).toBeHidden()
  await expect(userPage.getByRole('button', { name: 'Show conversations' })).toBeVisible()
  const [smallPanelBox, smallAnswerBox] = [await panel.boundingBox(), await answer(userPage).boundingBox()]
  expect((smallAnswerBox?.x ?? 0) + (smallAnswerBox?.width ?? 0)).toBeLessThanOrEqual(smallPanelBox?.x ?? 0)
  expect(smallAnswerBox?.width).toBeGreaterThan(400)
  await expectAccessible(userPage)
  await userPage.keyboard.press('Escape')
  await expect(list.getByRole('searchbox')).toHaveValue('boathouse')
  await expect(citation).toBeFocused()
  await userPage.keyboard.press('Enter')
  await panel.getByRole('link', { name: 'Open in the gallery' }).press('Enter')
  await expect(userPage).toHaveURL(new RegExp(`/gallery/${id}`))
})

test('library items are attached to a message, whose answer cites them and links to them', async ({
  userPage: page,
  account,
  server,
}) => {
  const lease = await upload(server, account, 'boathouse.txt', LEASE)
  await upload(server, account, 'recipe.txt', 'Boil the beetroot for an hour.')
  const selectedItems = page.getByRole('region', { name: 'Items for your message' }).getByRole('listitem')
  await page.goto(`/gallery/${lease.id}`)
  await page.getByRole('link', { name: 'Ask about this' }).click()
  await expect(selectedItems).toHaveText('boathouse.txt')
  await expect(page).toHaveURL(/\/chat$/)
  await page.reload()
  await expect(selectedItems).toHaveText('boathouse.txt')

  await page.getByRole('button', { name: 'Attach from library' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Attach from your library' })
  await expect(dialog.getByRole('searchbox')).toBeFocused()
  await expect(dialog.getByRole('button', { name: 'boathouse.txt' })).toBeDisabled()
  await dialog.getByRole('tab', { name: 'Videos' }).click()
  await expect(dialog.getByText('There’s nothing of this type in your library yet.')).toBeVisible()
  await dialog.getByRole('tab', { name: 'Documents' }).click()
  await dialog.getByRole('searchbox').fill('recipe')
  await expect(dialog.getByRole('button', { name: 'boathouse.txt' })).toBeHidden()
  const recipe = dialog.getByRole('button', { name: 'recipe.txt' })
  await recipe.click()
  await expect(recipe).toHaveAttribute('aria-pressed', 'true')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Attach 1 item' }).click()
  await expect(selectedItems).toHaveText(['boathouse.txt', 'recipe.txt'])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Remove recipe.txt' }).click()
  await expect(selectedItems).toHaveText('boathouse.txt')

  server.openAi.when('How long is it', { text: 'The notice period is three months [1].' })
  await composer(page).fill('How long is it?')
  await composer(page).press('Enter')
  await expect(answer(page)).toContainText('The notice period is three months 1.')
  await expect(selectedItems).toHaveCount(0)
  await expectAccessible(page)
  await page.reload()
  await answer(page).getByRole('link', { name: 'Source 1: boathouse.txt' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
  await expect(page).toHaveURL(new RegExp(`/gallery/${lease.id}`))
  await page.goBack()
  // going back reopens the panel
  await expect(page.getByRole('dialog', { name: 'boathouse.txt' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const card = page.getByRole('list', { name: 'Attached items' }).getByRole('link', { name: 'boathouse.txt' })
  await card.click()
  await expect(page).toHaveURL(new RegExp(`/gallery/${lease.id}$`))
  await server.call('DELETE', `/media/${lease.id}`, { token: account.token })
  await page.goBack()
  await page.reload()
  await expect(page.getByRole('list', { name: 'Attached items' })).toHaveText('boathouse.txt (deleted)')
})

test('on a phone, a file is added from a menu, and a question sent too early waits until the file is read', async ({
  openPageAs,
  account,
  server,
}) => {
  const page = await openPageAs(account, { viewport: { width: 390, height: 844 }, hasTouch: true })
  server.openAi.when('How long is it', { text: 'The notice period is three months [1].' })
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Add to the message' }).tap()
  await expectAccessible(page)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Add a file' }).tap()
  const processing = Promise.withResolvers<void>()
  await page.route(/[/]api[/]media[/][\w-]{36}$/, async (route) => {
    await processing.promise
    await route.continue()
  })
  await (await chooser).setFiles({ name: 'boathouse.txt', mimeType: 'text/plain', buffer: Buffer.from(LEASE) })
  await composer(page).fill('How long is it?')
  await page.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect(page.getByText('Will be sent once they’ve been read.')).toBeVisible()
  await expectAccessible(page)
  processing.resolve()
  await expect(answer(page)).toContainText('The notice period is three months 1.')
  await expect(page.getByRole('list', { name: 'Attached items' })).toContainText('boathouse.txt')
})

test('a question about an item can’t be sent before the item is attached', async ({
  userPage: page,
  account,
  server,
}) => {
  const { id } = await upload(server, account, 'boathouse.txt', LEASE)
  const itemLoaded = Promise.withResolvers<void>()
  await page.route(`**/api/media/${id}`, async (route) => {
    await itemLoaded.promise
    await route.continue()
  })
  await page.goto(`/chat?attach=${id}`)
  await composer(page).fill('How long is it?')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await composer(page).press('Enter')
  await expect(composer(page)).toHaveValue('How long is it?')
  itemLoaded.resolve()
  await expect(page.getByRole('region', { name: 'Items for your message' })).toContainText('boathouse.txt')
  await composer(page).press('Enter')
  await expect(page.getByRole('list', { name: 'Attached items' })).toHaveText('boathouse.txt')
})
