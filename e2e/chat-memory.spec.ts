import { Buffer } from 'node:buffer'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { makeThreeScenes } from '../apps/api/test/films.ts'
import { writtenPdf } from '../apps/api/test/pdf-files.ts'
import { photographedSign, writtenPicture } from '../apps/api/test/written-pictures.ts'
import { composer } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import { filmSecond } from './support/real-set.ts'
import { startTestServer } from './support/server.ts'

const answer = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' }).last()
const sources = (page: Page) => answer(page).getByRole('list', { name: 'Sources' }).getByRole('listitem')

const LEASE = 'The notice period of the boathouse is three months to the end of a quarter.'

/** A film with a text on screen from its second second on. */
async function makeFilm(): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mira-film-'))
  try {
    const text = await writtenPicture(['Harbour festival', 'Saturday at noon'], { fontSize: 60 })
    const options = { text, width: 960, height: 540, isSilent: true }
    return await readFile((await makeThreeScenes(folder, 'webm', options)).filename)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

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
  await expectAccessible(userPage)
  await userPage.keyboard.press('Escape')
  await expect(citation).toBeFocused()
  await userPage.keyboard.press('Enter')
  await panel.getByRole('link', { name: 'Open in the gallery' }).click()
  await expect(userPage).toHaveURL(new RegExp(`/gallery/${id}`))
})

test('without a model, a document, a film, a page and a picture are quoted, and each citation leads to its place', async ({
  browser,
}) => {
  test.setTimeout(240_000)
  const alone = await startTestServer({ OPENAI_BASE_URL: '', OPENAI_API_KEY: '', CHAT_MODEL: '' })
  try {
    const person = await alone.createAccount()
    const add = async (name: string, content: string | Buffer) =>
      (await upload(alone, person, name, typeof content === 'string' ? content : Buffer.from(content))).id
    const pages = ['The keys lie in the kitchen.', 'The dentist has an appointment on Friday.']
    const [boathouse, film, notes, photo] = await Promise.all([
      add('boathouse.txt', LEASE),
      makeFilm().then((content) => add('film.webm', content)),
      writtenPdf(pages.map((line) => ({ lines: [line] }))).then((content) => add('notes.pdf', content)),
      photographedSign('Bakery Lindner').then((content) => add('photo.jpg', content)),
    ])
    for (const id of [film, notes, photo]) {
      const item = () => alone.call<{ processing_status: string }>('GET', `/media/${id}`, { token: person.token })
      await expect.poll(async () => (await item()).processing_status, { timeout: 120_000 }).toBe('completed')
    }
    const context = await browser.newContext({
      baseURL: alone.url,
      storageState: {
        cookies: [],
        origins: [{ origin: alone.url, localStorage: [{ name: 'token', value: person.token }] }],
      },
    })
    const page = await context.newPage()
    const follow = async (question: string, id: string, name: string) => {
      await ask(page, question)
      const card = sources(page).getByRole('link').filter({ hasText: name }).first()
      await expect(card).toBeVisible({ timeout: 20_000 })
      await card.click()
      await page.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
      await expect(page).toHaveURL(new RegExp(`/gallery/${id}`))
    }
    await follow('What is the notice period of the boathouse?', boathouse, 'boathouse.txt')
    await expect(page.getByText(LEASE).first()).toBeVisible()
    await follow('When is the harbour festival?', film, 'film.webm')
    await expect.poll(() => filmSecond(page)).toBe(2)
    await follow('When is the dentist?', notes, 'notes.pdf')
    await expect(page.getByText('Page 2 of 2')).toBeVisible()
    await follow('Where was the bakery Lindner?', photo, 'photo.jpg')
    await expect(page.getByTestId('box')).toBeVisible()
    await context.close()
  } finally {
    await alone.stop()
  }
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
  await dialog.getByRole('tab', { name: 'Films' }).click()
  await expect(dialog.getByText('There is nothing of this kind in your library yet.')).toBeVisible()
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
