import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LibraryJson } from '@mira/shared'
import { zipOf } from '../apps/api/test/document-files.ts'
import { chatGptExport } from '../apps/api/test/exported-chats.ts'
import { plainImage } from '../apps/api/test/pictures.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a ChatGPT export is previewed, imported and undone', async ({ userPage }) => {
  await userPage.goto('/dashboard?tab=settings')
  await userPage.getByRole('button', { name: 'Import', exact: true }).click()
  const buffer = await chatGptExport(await plainImage({ width: 60, height: 40, format: 'png' }))
  await userPage
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer })
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: 'Preview' }).click()
  await expect(userPage.getByText('1 conversation found, none of them here yet')).toBeVisible()
  await userPage.getByRole('button', { name: 'Import 1 conversation' }).click()
  await expect(userPage.getByText('1 conversation imported')).toBeVisible()
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: 'Undo the import of chatgpt.zip' }).click()
  await userPage.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(userPage.getByText('No imports yet')).toBeVisible()
})

test.describe('photos from Google Photos are imported with their metadata', () => {
  const picture = 'Takeout/Google Photos/Photos from 2017/IMG_1.png'
  const sidecar = `${picture}.supplemental-metadata.json`
  const sidecarJson = JSON.stringify({
    title: 'IMG_1.png',
    description: 'The harbour at noon',
    photoTakenTime: { timestamp: '1493992800' },
  })

  for (const way of ['from a split archive', 'from an unpacked folder'] as const) {
    test(way, async ({ userPage: page, server, account }, testInfo) => {
      const content = await plainImage({ width: 60, height: 40, format: 'png' })
      await page.goto('/dashboard?tab=settings')
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByLabel('Where it comes from').selectOption({ label: 'Google Photos (Takeout)' })
      if (way === 'from an unpacked folder') {
        const folder = testInfo.outputPath('Takeout')
        const inside = join(folder, 'Google Photos/Photos from 2017')
        await mkdir(inside, { recursive: true })
        await writeFile(join(inside, 'IMG_1.png'), content)
        await writeFile(join(inside, 'IMG_1.png.supplemental-metadata.json'), sidecarJson)
        await page.locator('input[webkitdirectory]').setInputFiles(folder)
      } else {
        const mimeType = 'application/zip'
        await page.getByLabel('File', { exact: true }).setInputFiles([
          { name: 'takeout-2-001.zip', mimeType, buffer: await zipOf({ [picture]: content }) },
          { name: 'takeout-2-002.zip', mimeType, buffer: await zipOf({ [sidecar]: sidecarJson }) },
        ])
      }
      await expect(page.getByText(/^2 files · /)).toBeVisible()
      await expectAccessible(page)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('button', { name: 'Import 1 file' }).click()
      await expect(page.getByText('1 file imported')).toBeVisible()
      const { media_items: items } = await server.call<LibraryJson>('GET', '/media/library', account)
      expect(items).toMatchObject([{ caption: 'The harbour at noon', metadata: { original_filename: 'IMG_1.png' } }])
      expect(new Date(items[0]?.timestamp ?? 0).getUTCFullYear()).toBe(2017)
    })
  }
})
