import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { haveConversation } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })

async function choose(page: Page, session: string, entry: string): Promise<void> {
  const row = list(page).getByRole('listitem').filter({ hasText: session })
  await row.hover()
  await row.getByRole('button', { name: `Actions for ${session}` }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('a search shows where its words stand', async ({ userPage, person, server }) => {
  await haveConversation(server, person, 'Rivers', ['The longest of them is the Tagus, they say'])
  await haveConversation(server, person, 'Hills', ['Seven of them'])
  await userPage.goto('/chat')
  await list(userPage).getByRole('searchbox').fill('tagus')
  await expect(list(userPage).getByRole('listitem')).toHaveCount(1)
  await expect(list(userPage).locator('mark').first()).toHaveText('Tagus')
  await expectAccessible(userPage)
})

test('a pinned conversation stands above the others until it is let go', async ({ userPage, person, server }) => {
  await haveConversation(server, person, 'Older')
  await haveConversation(server, person, 'Newer')
  await userPage.goto('/chat')
  const links = list(userPage).getByRole('listitem')
  await expect(links).toContainText(['Newer', 'Older'])
  await choose(userPage, 'Older', 'Pin')
  await expect(links).toContainText(['Older', 'Newer'])
  await expect(list(userPage).getByRole('heading', { name: 'Pinned' })).toBeVisible()
  await userPage.reload()
  await expect(links).toContainText(['Older', 'Newer'])
  await expectAccessible(userPage)
  await choose(userPage, 'Older', 'Unpin')
  await expect(links).toContainText(['Newer', 'Older'])
})

test('a conversation is saved as Markdown and as JSON', async ({ userPage, person, server }) => {
  await haveConversation(server, person, 'Rivers', ['About the Tagus'])
  await userPage.goto('/chat')
  const save = async (entry: string) => {
    const download = userPage.waitForEvent('download')
    await choose(userPage, 'Rivers', entry)
    const file = await download
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }
  const markdown = await save('Export as Markdown')
  expect(markdown.name).toMatch(/\.md$/)
  expect(markdown.text).toContain('About the Tagus')
  const json = await save('Export as JSON')
  expect(json.name).toMatch(/\.json$/)
  expect(JSON.parse(json.text)).toMatchObject({ format: 'mira.chat', session: { session_name: 'Rivers' } })
})
