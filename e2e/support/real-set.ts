import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { scannedPdf, textPdf } from '../../apps/api/test/pdf-files.ts'
import { plainImage } from '../../apps/api/test/pictures.ts'
import { createThreeSceneVideo, makeRecording, tagMp3 } from '../../apps/api/test/videos.ts'
import { drawSignPhoto, textImage } from '../../apps/api/test/written-pictures.ts'
import { expect } from './fixtures.ts'

/** File for `setInputFiles`. */
export interface FileToUpload {
  name: string
  mimeType: string
  buffer: Buffer<ArrayBuffer>
}

const LETTER = [
  'Dear Anna,',
  'the rent for your flat rises',
  'to 950 euros in October.',
  'Please write to me soon.',
  'Kind regards, Walter Brandt',
]
/** Timeout for processing all files on a busy machine. */
export const PROCESSING_TIMEOUT_MS = 360_000
export const VIDEO_SECONDS = 6
export const RECORDING_SECONDS = 10

/**
 * Generated user files: a scanned letter, a photo with a sign, a video with sound and three scenes, the second with a text,
 * a recording with a title, a PDF of three text pages, and one of two scanned pages.
 */
export async function makeRealSet(): Promise<FileToUpload[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mira-real-set-'))
  try {
    const [letter, photo, written, scanned] = await Promise.all([
      scan(LETTER),
      drawSignPhoto('Bakery Lindner'),
      textPdf(
        [
          'The keys lie in the kitchen.',
          'The dentist has an appointment on Friday.',
          'The garden is closed in winter.',
        ].map((line) => ({ lines: [line] })),
      ),
      Promise.all([scan(['Guarantee', 'for two years']), scan(['Repair of the bicycle', 'Invoice number 4711'])]),
    ])
    const text = await textImage(['Harbour festival', 'Saturday at noon'], { fontSize: 60 })
    const video = await createThreeSceneVideo(folder, 'webm', { text, width: 960, height: 540 })
    const recording = await makeRecording(folder, 'mp3', { seconds: RECORDING_SECONDS })
    const cover = await plainImage({ width: 200, height: 200, colour: '#c02040' })
    await tagMp3(recording.filename, { title: 'Voices of the harbour', artist: 'Ana', cover })
    return [
      { name: 'letter.png', mimeType: 'image/png', buffer: Buffer.from(letter) },
      { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(photo) },
      { name: 'film.webm', mimeType: 'video/webm', buffer: await readFile(video.filename) },
      { name: 'recording.mp3', mimeType: 'audio/mpeg', buffer: await readFile(recording.filename) },
      { name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from(written) },
      { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await scannedPdf(scanned)) },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const scan = (lines: string[]) => textImage(lines, { width: 1000, height: 1415 })

/** Uploads files on the upload page and waits until the whole queue is done. */
export async function uploadAndWatch(page: Page, files: FileToUpload[]): Promise<void> {
  const rows = page.getByRole('list', { name: 'Upload queue' }).getByRole('listitem')
  await page.goto('/upload')
  await page.getByLabel('Choose files').and(page.locator('input')).setInputFiles(files)
  await expect(rows.getByText('pending', { exact: true })).toHaveCount(files.length)
  await page.getByRole('button', { name: 'Upload All' }).click()
  await expect(rows.getByText('Processing…', { exact: true }).first()).toBeVisible()
  await expect(rows.getByRole('progressbar').first()).toBeVisible()
  for (const { name } of files) {
    const row = rows.filter({ hasText: name })
    await expect(row.getByText(/^(completed|error)$/), `final status of ${name}`).toBeVisible({
      timeout: PROCESSING_TIMEOUT_MS,
    })
    await expect(row.getByText('completed', { exact: true }), (await row.textContent()) ?? name).toBeVisible()
  }
  await expect(page.getByText(`${files.length} files are in your memory`)).toBeVisible()
}

/** Searches on the memory page and returns the results for a file. */
export async function searchFor(page: Page, query: string, fileName: string) {
  await page.goto('/memory')
  await page.getByRole('combobox', { name: 'What are you looking for?' }).fill(query)
  await page.getByRole('button', { name: 'Search Memory' }).click()
  const region = page.getByRole('region', { name: /^Search Results/ })
  await expect(region).toBeVisible()
  const cards = region.getByRole('listitem').filter({ hasText: fileName })
  // results of an engine that hasn't proven itself are collapsed
  const collapsedResults = region.getByText(/^Perhaps \(/)
  await expect(cards.first().or(collapsedResults).first()).toBeVisible()
  if (!(await cards.first().isVisible())) await collapsedResults.click()
  await expect(cards.first(), `“${query}” finds ${fileName}`).toBeVisible()
  const open = async () => {
    await cards.first().getByRole('link', { name: fileName }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Open in the gallery' }).click()
  }
  return { region, card: cards.first(), open }
}

/** Current position of the page's video in seconds, rounded. */
export const videoPosition = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => Math.round(video.currentTime))

/** Boxes around the matching words in the page's image. */
export const matchBoxes = (page: Page) => page.getByTestId('words').locator('rect.stroke-warning')
