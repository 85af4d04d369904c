import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ModelHub, startModelHub } from '../apps/api/test/model-hub.ts'
import { answers, send } from './support/chat-page.ts'
import { test as base, expect, expectAccessible } from './support/fixtures.ts'

const MODEL = 'onnx-community/Qwen2.5-0.5B-Instruct'

const test = base.extend<object, { hub: ModelHub }>({
  hub: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const hub = await startModelHub()
      await use(hub)
      await hub.close()
    },
    { scope: 'worker' },
  ],
  serverEnvironment: [
    async ({ hub }, use) => {
      const directory = mkdtempSync(path.join(tmpdir(), 'mira-models-'))
      await use({
        OPENAI_BASE_URL: '',
        OPENAI_API_KEY: '',
        CHAT_MODEL: '',
        LOCAL_MODELS: 'auto',
        MODELS_DIR: directory,
        MODELS_HUB_URL: hub.baseUrl,
      })
      await rm(directory, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
})

test('a server without a model chats once an administrator has downloaded one, whose licence and size are shown', async ({
  adminPage: page,
  openPageAs,
  account,
  hub,
}) => {
  await page.goto('/admin?tab=settings')
  const row = page.getByRole('listitem').filter({ hasText: 'Apache-2.0' }).filter({ hasText: MODEL })
  await expect(row).toContainText('Apache-2.0')
  await expect(row).toContainText('MB')
  await expect(row).toContainText('Not downloaded')
  await row.scrollIntoViewIfNeeded()
  await expectAccessible(page)

  // an unavailable hub makes the download fail
  hub.failWith(503, { times: 50 })
  await row.getByRole('button', { name: `Download ${MODEL}` }).click()
  await expect(row).toContainText('Failed')
  hub.reset()
  const release = hub.hold()
  await row.getByRole('button', { name: `Download ${MODEL}` }).click()
  await expect(row.getByRole('progressbar', { name: `Download of ${MODEL}` })).toBeVisible()
  release()
  await expect(row).toContainText('Ready')

  const userPage = await openPageAs(account)
  await userPage.goto('/chat')
  await send(userPage, 'What colour is the harbour?')
  await expect(answers(userPage)).toContainText('The harbour is blue', { timeout: 60_000 })
  await expect(userPage.getByRole('button', { name: 'Model: Qwen2.5-0.5B-Instruct' })).toBeVisible()
  await expectAccessible(userPage)

  await row.getByRole('button', { name: `Remove ${MODEL}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toContainText('Not downloaded')
})
