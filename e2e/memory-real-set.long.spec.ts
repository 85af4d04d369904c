import type { Page } from '@playwright/test'
import { composer } from './support/chat-page.ts'
import { expect, expectAccessible, test, withoutModel } from './support/fixtures.ts'
import {
  makeRealSet,
  matchBoxes,
  PROCESSING_TIMEOUT_MS,
  searchFor,
  uploadAndWatch,
  videoPosition,
} from './support/real-set.ts'

// only keyword search is available
test.use({ serverEnvironment: withoutModel })
test.setTimeout(PROCESSING_TIMEOUT_MS + 180_000)

/** Asks in a new conversation and opens the source with this name in the gallery. */
async function openSource(page: Page, question: string, name: string) {
  await page.goto('/chat')
  await composer(page).fill(question)
  await composer(page).press('Enter')
  const sources = page.getByRole('article', { name: 'Answer from Mira' }).last().getByRole('list', { name: 'Sources' })
  await sources.getByRole('listitem').getByRole('link').filter({ hasText: name }).first().click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
}

test('without a model, files of every kind are found by their words and open at the matching place', async ({
  userPage: page,
}) => {
  await uploadAndWatch(page, await makeRealSet())
  await expectAccessible(page)

  await test.step('the dashboard counts them and lists the uploads', async () => {
    await page.goto('/dashboard')
    const figures = page.getByRole('region', { name: 'Your figures' })
    await expect(figures.locator('div', { hasText: 'Media Items' }).first()).toContainText('6')
    await expect(page.getByRole('link', { name: /letter\.png/ }).first()).toBeVisible()
    await expect(page.getByRole('heading', { name: 'System Health' })).toBeVisible()
  })

  await test.step('a scanned letter opens with the matching words marked', async () => {
    const { region, card, open } = await searchFor(page, 'rent October', 'letter.png')
    await expect(region.getByText('Keyword search only. Set up search by meaning for better results.')).toBeVisible()
    await expect(card).toContainText('written in the picture')
    await expect(card.locator('mark')).toHaveText(['rent', 'October'])
    await open()
    await expect(page.getByRole('heading', { name: 'letter.png', level: 1 })).toBeVisible()
    await expect(matchBoxes(page)).toHaveCount(2)
    await expect(page.getByRole('complementary', { name: 'About this item' }).locator('mark')).toHaveText([
      'rent',
      'October',
    ])
  })

  await test.step('a photo is found by the sign on it, also when the query is misspelled', async () => {
    const { card, open } = await searchFor(page, 'bakery', 'photo.jpg')
    await expect(card).toContainText('written in the picture')
    await open()
    await expect(page.getByRole('img', { name: 'photo.jpg' })).toBeVisible()
    await expect(matchBoxes(page)).toHaveCount(1)
    await searchFor(page, 'bakkery', 'photo.jpg')
  })

  await test.step('a video opens at the second when the text is on screen', async () => {
    const { card, open } = await searchFor(page, 'festival', 'film.webm')
    await expect(card).toContainText('on screen at 0:02')
    await expect(card).toContainText('Frame 2')
    await open()
    await expect(page).toHaveURL(/[?&]t=2(\.0\d)?(&|$)/)
    await expect.poll(() => videoPosition(page)).toBe(2)
    const onScreen = page.getByRole('list', { name: 'On screen' }).locator('[aria-current]')
    await expect(onScreen).toContainText('Harbour festival')
    await expect(onScreen.locator('mark')).toHaveText('festival')
  })

  await test.step('a recording is found by its title', async () => {
    const { card, open } = await searchFor(page, 'voices', 'recording.mp3')
    await expect(card).toContainText('in the title or other details')
    await open()
    await expect(page.getByRole('slider', { name: 'Position in the recording' })).toHaveAttribute('aria-valuenow', '0')
  })

  await test.step('a text PDF opens at the matching page', async () => {
    const { card, open } = await searchFor(page, 'dentist', 'notes.pdf')
    await expect(card).toContainText('page 2')
    await open()
    await expect(page.getByText('Page 2 of 3')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Text of page 2' }).locator('mark')).toHaveText('dentist')
    await expect(page.getByRole('img', { name: 'Page 2' })).toBeVisible()
  })

  await test.step('a scanned PDF opens at the matching page', async () => {
    const { card, open } = await searchFor(page, '"invoice number 4711"', 'scan.pdf')
    await expect(card).toContainText('page 2')
    await open()
    await expect(page.getByText('Page 2 of 2')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Text of page 2' }).locator('mark')).toHaveText([
      'Invoice',
      'number',
      '4711',
    ])
  })

  await test.step('nonsense finds nothing', async () => {
    await page.goto('/memory?q=qwzrtpl')
    await expect(page.getByRole('heading', { name: 'No results found' })).toBeVisible()
  })

  await test.step('answers in the chat cite a letter, a video, a page and a photo, which open at the matching place', async () => {
    await openSource(page, 'To how much does the rent rise in October?', 'letter.png')
    await expect(page.getByTestId('box')).toBeVisible()
    await openSource(page, 'When is the harbour festival?', 'film.webm')
    await expect.poll(() => videoPosition(page)).toBe(2)
    await openSource(page, 'When is the dentist?', 'notes.pdf')
    await expect(page.getByText('Page 2 of 3')).toBeVisible()
    await openSource(page, 'Where was the bakery Lindner?', 'photo.jpg')
    await expect(page.getByTestId('box')).toBeVisible()
  })
})
