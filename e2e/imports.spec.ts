import { chatGptExport } from '../apps/api/test/exported-chats.ts'
import { plainPicture } from '../apps/api/test/pictures.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('what ChatGPT exported is counted, brought and undone', async ({ userPage }) => {
  await userPage.goto('/dashboard?tab=settings')
  await userPage.getByRole('button', { name: 'Import', exact: true }).click()
  const buffer = await chatGptExport(await plainPicture({ width: 60, height: 40, format: 'png' }))
  await userPage
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer })
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: 'Count what is in it' }).click()
  await expect(userPage.getByText('1 conversation in it, none of them here yet')).toBeVisible({ timeout: 20_000 })
  await userPage.getByRole('button', { name: 'Import 1 conversation' }).click()
  await expect(userPage.getByText('1 conversation brought')).toBeVisible({ timeout: 20_000 })
  await expectAccessible(userPage)
  await userPage.getByRole('button', { name: 'Undo the import of chatgpt.zip' }).click()
  await userPage.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(userPage.getByText('Nothing brought yet')).toBeVisible()
})
