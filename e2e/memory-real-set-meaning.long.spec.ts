import { expect, test } from './support/fixtures.ts'
import {
  makeRealSet,
  matchBoxes,
  PROCESSING_TIMEOUT_MS,
  searchFor,
  uploadAndWatch,
  VIDEO_SECONDS,
  videoPosition,
} from './support/real-set.ts'

test.use({
  serverEnvironment: {
    VISION_MODEL: 'test-model',
    TRANSCRIPTION_MODEL: 'test-whisper',
    EMBEDDING_MODEL: 'test-embedding',
  },
})
test.setTimeout(PROCESSING_TIMEOUT_MS + 180_000)

const videoSegments = [
  { start: 0.5, end: 1.5, text: 'Good morning.' },
  { start: 2.5, end: 3.5, text: 'The train goes to the sea.' },
]
const recordingSegments = [
  { start: 0.5, end: 1.5, text: 'Hello Walter.' },
  { start: 4.2, end: 5.5, text: 'The dog sleeps in the house.' },
]

test('with a model, files of every kind are found by meaning and open at the matching place', async ({
  userPage: page,
  server,
}) => {
  server.openAi.captions = {
    text: (colour) => (colour === 'gray' ? 'A green mountain before a wall' : `Something that is mostly ${colour}`),
  }
  server.openAi.transcriptions = {
    segments: ({ seconds }) => (seconds < VIDEO_SECONDS + 1 ? videoSegments : recordingSegments),
  }
  await uploadAndWatch(page, await makeRealSet())

  await test.step('a recording is found in other words and opens at the matching second', async () => {
    const { region, card, open } = await searchFor(page, 'puppy at home', 'recording.mp3')
    await expect(region.getByText(/^Keyword search only/)).toBeHidden()
    await expect(card).toContainText('similar in meaning')
    await expect(card).toContainText('said at 0:04')
    await open()
    await expect(page.getByRole('slider', { name: 'Position in the recording' })).toHaveAttribute('aria-valuenow', '4')
    const current = page.getByRole('region', { name: 'Transcript' }).locator('li[aria-current]')
    await expect(current).toContainText('The dog sleeps in the house.')
  })

  await test.step('a video is found in another language and opens at the matching second', async () => {
    const { card, open } = await searchFor(page, 'Zug ans Meer', 'film.webm')
    await expect(card).toContainText('similar in meaning')
    await expect(card).toContainText('said at 0:02')
    await open()
    await expect(page).toHaveURL(/[?&]t=2\.5(&|$)/)
    await expect.poll(() => videoPosition(page)).toBe(3)
    const current = page.getByRole('region', { name: 'Transcript' }).locator('li[aria-current]')
    await expect(current).toContainText('The train goes to the sea.')
  })

  await test.step('a photo is found by its caption in another language', async () => {
    const { card, open } = await searchFor(page, 'grüner Berg', 'photo.jpg')
    await expect(card).toContainText('similar in meaning')
    await expect(card).toContainText('in the caption')
    await open()
    await expect(page.getByRole('img', { name: 'A green mountain before a wall' })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Caption' })).toContainText('A green mountain before a wall')
  })

  await test.step('a page of a PDF is found in another language', async () => {
    const { card, open } = await searchFor(page, 'Termin beim Zahnarzt', 'notes.pdf')
    await expect(card).toContainText('similar in meaning')
    await expect(card).toContainText('page 2')
    await open()
    await expect(page.getByText('Page 2 of 3')).toBeVisible()
  })

  await test.step('a scanned page is found in other words', async () => {
    const { card, open } = await searchFor(page, 'bike bill', 'scan.pdf')
    await expect(card).toContainText('page 2')
    await open()
    await expect(page.getByText('Page 2 of 2')).toBeVisible()
  })

  await test.step('a scanned letter is still found by its words', async () => {
    const { card, open } = await searchFor(page, 'rent "950 euros"', 'letter.png')
    await expect(card).toContainText('written in the picture')
    await open()
    await expect(matchBoxes(page)).toHaveCount(3)
  })

  await test.step('nonsense finds nothing', async () => {
    await page.goto('/memory?q=qwzrtpl')
    await expect(page.getByRole('heading', { name: 'No results found' })).toBeVisible()
  })
})
