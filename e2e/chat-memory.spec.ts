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

test('an answer of a model cites the document that was asked about, and the citation leads to it', async ({
  userPage,
  person,
  server,
}) => {
  const { id } = await upload(server, person, 'boathouse.txt', LEASE)
  // an answer does not wait for a server that searches for the first time
  await server.call('GET', '/media/search?query=boathouse', { token: person.token })
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
  // the answer can be read on beside it
  const [beside, read] = [await panel.boundingBox(), await answer(userPage).boundingBox()]
  expect((read?.x ?? 0) + (read?.width ?? 0)).toBeLessThanOrEqual(beside?.x ?? 0)
  await expectAccessible(userPage)
  await userPage.keyboard.press('Escape')
  await expect(citation).toBeFocused()
  // in a window with less room the list of conversations folds away for it, and is as it was after that
  await userPage.setViewportSize({ width: 1024, height: 768 })
  const list = userPage.getByRole('navigation', { name: 'Conversations' })
  await list.getByRole('searchbox').fill('boathouse')
  await citation.press('Enter')
  await expect(panel).toBeVisible()
  await expect(list).toBeHidden()
  await expect(userPage.getByRole('button', { name: 'Show conversations' })).toBeVisible()
  const [side, said] = [await panel.boundingBox(), await answer(userPage).boundingBox()]
  expect((said?.x ?? 0) + (said?.width ?? 0)).toBeLessThanOrEqual(side?.x ?? 0)
  expect(said?.width).toBeGreaterThan(400)
  await expectAccessible(userPage)
  await userPage.keyboard.press('Escape')
  await expect(list.getByRole('searchbox')).toHaveValue('boathouse')
  await expect(citation).toBeFocused()
  await userPage.keyboard.press('Enter')
  await panel.getByRole('link', { name: 'Open in the gallery' }).press('Enter')
  await expect(userPage).toHaveURL(new RegExp(`/gallery/${id}`))
})

test('items of the library are attached to a message, which is answered from them and leads to them', async ({
  userPage: page,
  person,
  server,
}) => {
  const lease = await upload(server, person, 'boathouse.txt', LEASE)
  await upload(server, person, 'recipe.txt', 'Boil the beetroot for an hour.')
  const chosen = page.getByRole('region', { name: 'Items for your message' }).getByRole('listitem')
  await page.goto(`/gallery/${lease.id}`)
  await page.getByRole('link', { name: 'Ask about this' }).click()
  await expect(chosen).toHaveText('boathouse.txt')
  await expect(page).toHaveURL(/\/chat$/)
  await page.reload()
  await expect(chosen).toHaveText('boathouse.txt')

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
  await expect(chosen).toHaveText(['boathouse.txt', 'recipe.txt'])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Remove recipe.txt' }).click()
  await expect(chosen).toHaveText('boathouse.txt')

  server.openAi.when('How long is it', { text: 'The notice period is three months [1].' })
  await composer(page).fill('How long is it?')
  await composer(page).press('Enter')
  await expect(answer(page)).toContainText('The notice period is three months 1.')
  await expect(chosen).toHaveCount(0)
  await expectAccessible(page)
  await page.reload()
  await answer(page).getByRole('link', { name: 'Source 1: boathouse.txt' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
  await expect(page).toHaveURL(new RegExp(`/gallery/${lease.id}`))
  await page.goBack()
  // one comes back to the panel that one left
  await expect(page.getByRole('dialog', { name: 'boathouse.txt' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const card = page.getByRole('list', { name: 'Attached items' }).getByRole('link', { name: 'boathouse.txt' })
  await card.click()
  await expect(page).toHaveURL(new RegExp(`/gallery/${lease.id}$`))
  await server.call('DELETE', `/media/${lease.id}`, { token: person.token })
  await page.goBack()
  await page.reload()
  await expect(page.getByRole('list', { name: 'Attached items' })).toHaveText('boathouse.txt (deleted)')
})

test('on a phone a file is added by a menu, and a question that is sent too early leaves once it is read', async ({
  openPageAs,
  person,
  server,
}) => {
  const page = await openPageAs(person, { viewport: { width: 390, height: 844 }, hasTouch: true })
  server.openAi.when('How long is it', { text: 'The notice period is three months [1].' })
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Add to the message' }).tap()
  await expectAccessible(page)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Add a file' }).tap()
  const held = Promise.withResolvers<void>()
  await page.route(/[/]api[/]media[/][\w-]{36}$/, async (route) => {
    await held.promise
    await route.continue()
  })
  await (await chooser).setFiles({ name: 'boathouse.txt', mimeType: 'text/plain', buffer: Buffer.from(LEASE) })
  await composer(page).fill('How long is it?')
  await page.getByRole('button', { name: 'Send', exact: true }).tap()
  await expect(page.getByText('Will be sent once they’ve been read.')).toBeVisible()
  await expectAccessible(page)
  held.resolve()
  await expect(answer(page)).toContainText('The notice period is three months 1.')
  await expect(page.getByRole('list', { name: 'Attached items' })).toContainText('boathouse.txt')
})

test('a question about an item does not leave before the item is attached', async ({
  userPage: page,
  person,
  server,
}) => {
  const { id } = await upload(server, person, 'boathouse.txt', LEASE)
  const answered = Promise.withResolvers<void>()
  await page.route(`**/api/media/${id}`, async (route) => {
    await answered.promise
    await route.continue()
  })
  await page.goto(`/chat?attach=${id}`)
  await composer(page).fill('How long is it?')
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled()
  await composer(page).press('Enter')
  await expect(composer(page)).toHaveValue('How long is it?')
  answered.resolve()
  await expect(page.getByRole('region', { name: 'Items for your message' })).toContainText('boathouse.txt')
  await composer(page).press('Enter')
  await expect(page.getByRole('list', { name: 'Attached items' })).toHaveText('boathouse.txt')
})
