import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { answers, composer, questions, send, sessionIdOf, sessionLinks } from './support/chat-page.ts'
import { createConversation, sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })

async function choose(page: Page, session: string, entry: string): Promise<void> {
  const row = list(page).getByRole('listitem').filter({ hasText: session })
  await row.hover()
  await row.getByRole('button', { name: `Actions for ${session}` }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('a search highlights the matching words', async ({ userPage, account, server }) => {
  await createConversation(server, account, 'Rivers', ['The longest of them is the Tagus, they say'])
  await createConversation(server, account, 'Hills', ['Seven of them'])
  await userPage.goto('/chat')
  await list(userPage).getByRole('searchbox').fill('tagus')
  await expect(list(userPage).getByRole('listitem')).toHaveCount(1)
  await expect(list(userPage).locator('mark').first()).toHaveText('Tagus')
  await expectAccessible(userPage)
})

test('a pinned conversation is listed first until it is unpinned', async ({ userPage, account, server }) => {
  await createConversation(server, account, 'Older')
  await createConversation(server, account, 'Newer')
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

test('several conversations are tagged, archived, restored and deleted', async ({ userPage, account, server }) => {
  for (const name of ['Rivers', 'Hills', 'Lakes']) await createConversation(server, account, name)
  await userPage.goto('/chat')
  const names = list(userPage).getByRole('listitem')
  const select = async (...sessionNames: string[]) => {
    await list(userPage).getByRole('button', { name: 'Select several' }).click()
    for (const name of sessionNames) await list(userPage).getByRole('checkbox', { name }).check()
  }
  const bar = userPage.getByRole('toolbar', { name: 'Selected conversations' })
  const show = async (from: string, to: string) => {
    await list(userPage)
      .getByRole('button', { name: `Showing: ${from}` })
      .click()
    await userPage.getByRole('menuitemcheckbox', { name: to }).click()
  }
  await select('Rivers', 'Lakes')
  await expectAccessible(userPage)
  await bar.getByRole('button', { name: 'Tags' }).click()
  await userPage.getByLabel('Add tags').fill('never saved')
  await userPage.getByRole('button', { name: 'Cancel' }).click()
  await bar.getByRole('button', { name: 'Tags' }).click()
  await expect(userPage.getByLabel('Add tags')).toHaveValue('')
  await userPage.getByLabel('Add tags').fill('water, far')
  await userPage.getByRole('button', { name: 'Save tags' }).click()
  await expect(names.filter({ hasText: '#water #far' })).toHaveCount(2)
  await bar.getByRole('button', { name: 'Archive' }).click()
  await expect(names).toHaveText([/Hills/])
  await userPage.getByRole('button', { name: 'Undo' }).click()
  await expect(names).toHaveCount(3)
  await show('All conversations', 'water')
  await expect(names).toHaveCount(2)
  await choose(userPage, 'Lakes', 'Archive')
  await show('water', 'Archive')
  await expect(names).toHaveText([/Lakes/])
  await select('Lakes')
  await bar.getByRole('button', { name: 'Delete' }).click()
  await userPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(list(userPage).getByText('Nothing is archived.')).toBeVisible()
  await show('Archive', 'All conversations')
  await expect(names).toHaveCount(2)
})

test('a conversation is exported as Markdown and as JSON', async ({ userPage, account, server }) => {
  await createConversation(server, account, 'Rivers', ['About the Tagus'])
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

test('the menu of a conversation reopens while it is still fading out', async ({ userPage, account, server }) => {
  await createConversation(server, account, 'Rivers', ['About the Tagus'])
  await userPage.goto('/chat')
  await choose(userPage, 'Rivers', 'Pin')
  await expect(list(userPage).getByRole('heading', { name: 'Pinned' })).toBeVisible()
  const row = list(userPage).getByRole('listitem').filter({ hasText: 'Rivers' })
  const button = row.getByRole('button', { name: 'Actions for Rivers' })
  const menu = userPage.getByRole('menu')
  await row.hover()
  await button.click()
  await expect(menu).toHaveAttribute('data-state', 'open')
  const { x, y, width, height } = (await button.boundingBox())!
  await userPage.mouse.move(x + width / 2, y + height / 2)
  for (let press = 0; press < 2; press++) {
    await userPage.mouse.down()
    await userPage.mouse.up()
  }
  await expect(menu).toHaveAttribute('data-state', 'open')
})

test('a menu stays open when the row of the previous menu disappears, and Escape closes it', async ({
  userPage,
  account,
  server,
}) => {
  for (const name of ['Rivers', 'Hills']) await createConversation(server, account, name)
  await userPage.goto('/chat')
  await choose(userPage, 'Rivers', 'Archive')
  await list(userPage).getByRole('button', { name: 'Showing: All conversations' }).click()
  await expect(list(userPage).getByRole('listitem')).toHaveCount(1)
  const entry = userPage.getByRole('menuitemcheckbox', { name: 'Archive' })
  await entry.hover()
  await expect(entry).toBeFocused()
  await userPage.keyboard.press('Escape')
  await expect(entry).toBeHidden()
})

test('a conversation is renamed from the list and from its title, and deleted after a confirmation', async ({
  userPage,
}) => {
  await userPage.goto('/chat')
  await send(userPage, 'Something to name')
  const link = sessionLinks(userPage).filter({ hasText: 'A short title' })
  await expect(link).toBeVisible()

  await link.focus()
  await userPage.keyboard.press('F2')
  await userPage.getByRole('textbox', { name: 'Name of the conversation' }).fill('Days in Lisbon')
  await userPage.keyboard.press('Enter')
  await expect(userPage.getByRole('button', { name: 'Rename “Days in Lisbon”' })).toBeVisible()
  await expect(sessionLinks(userPage).filter({ hasText: 'Days in Lisbon' })).toBeVisible()

  await userPage.getByRole('button', { name: 'Rename “Days in Lisbon”' }).click()
  await userPage.getByRole('textbox', { name: 'Name of the conversation' }).fill('Nights in Lisbon')
  await userPage.keyboard.press('Enter')
  const renamed = sessionLinks(userPage).filter({ hasText: 'Nights in Lisbon' })
  await expect(renamed).toBeVisible()
  await userPage.reload()
  await expect(renamed).toBeVisible()

  await renamed.hover()
  await userPage.getByRole('button', { name: 'Actions for Nights in Lisbon' }).click()
  await userPage.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = userPage.getByRole('alertdialog')
  await expect(dialog).toContainText('Are you sure you want to delete this chat session?')
  await expectAccessible(userPage)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(renamed).toBeVisible()

  await renamed.focus()
  await userPage.keyboard.press('Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(renamed).toHaveCount(0)
  await expect(userPage).toHaveURL(/\/chat$/)
  await expect(userPage.getByText('New conversation', { exact: true })).toBeVisible()
})

test('a conversation deleted elsewhere and an unknown one are shown as unavailable', async ({
  userPage,
  server,
  account,
}) => {
  await userPage.goto('/chat')
  await send(userPage, 'Soon gone')
  await expect(answers(userPage)).toContainText('You said: Soon gone')
  await server.call('DELETE', `/chat/sessions/${sessionIdOf(userPage)}`, { token: account.token })
  await expect(userPage.getByText('This conversation isn’t available')).toBeVisible()
  await userPage.goto('/chat?session=nonsense')
  await expect(userPage.getByText('This conversation isn’t available')).toBeVisible()
})

test('the list is searched, navigated with arrow keys, and loaded while scrolling', async ({
  userPage,
  server,
  account,
}) => {
  for (let number = 1; number <= 34; number += 1) await sendMessage(server, account, `Topic number ${number}.`)
  await userPage.goto('/chat')
  await expect(sessionLinks(userPage).nth(20)).toBeAttached()
  await sessionLinks(userPage).last().scrollIntoViewIfNeeded()
  // The link to a new chat and all 34 conversations.
  await expect(sessionLinks(userPage)).toHaveCount(35)

  // Leave the composer, where "/" is just a character.
  await composer(userPage).press('Escape')
  await userPage.keyboard.press('/')
  await expect(userPage.getByRole('searchbox', { name: 'Search conversations' })).toBeFocused()
  await userPage.keyboard.type('number 17.')
  await expect(sessionLinks(userPage)).toHaveCount(2)
  await userPage.keyboard.press('Escape')
  await expect(sessionLinks(userPage).nth(10)).toBeVisible()
  await sessionLinks(userPage).nth(1).focus()
  await userPage.keyboard.press('ArrowDown')
  await expect(sessionLinks(userPage).nth(2)).toBeFocused()
  await userPage.keyboard.press('Enter')
  await expect(sessionLinks(userPage).nth(2)).toHaveAttribute('aria-current', 'page')
})

test('a menu shows keyboard shortcuts only on devices with a keyboard', async ({
  userPage,
  openPageAs,
  server,
  account,
}) => {
  await createConversation(server, account, 'Rivers')
  const phone = await openPageAs(account, { hasTouch: true, viewport: { width: 390, height: 844 } })
  await phone.goto('/chat')
  await phone.getByRole('button', { name: 'Show conversations' }).tap()
  await phone.getByRole('button', { name: 'Actions for Rivers' }).tap()
  await expect(phone.getByRole('menuitem', { name: 'Rename' })).toBeVisible()
  for (const key of ['F2', 'Del']) await expect(phone.getByRole('menu').getByText(key, { exact: true })).toBeHidden()

  await userPage.goto('/chat')
  await list(userPage).getByRole('listitem').filter({ hasText: 'Rivers' }).hover()
  await list(userPage).getByRole('button', { name: 'Actions for Rivers' }).click()
  for (const key of ['F2', 'Del'])
    await expect(userPage.getByRole('menu').getByText(key, { exact: true })).toBeVisible()
})

test('on a phone a conversation is opened and renamed in the sheet', async ({ userPage, server, account }) => {
  await sendMessage(server, account, 'The first of two.')
  await sendMessage(server, account, 'The second of two.')
  await userPage.setViewportSize({ width: 360, height: 740 })
  await userPage.goto('/chat')
  await userPage.getByRole('button', { name: 'Show conversations' }).click()
  const sheet = userPage.getByRole('dialog', { name: 'Conversations' })
  const links = sheet.getByRole('navigation').getByRole('link')
  await expect(links).toHaveCount(3)
  await links.last().hover()
  await sheet
    .getByRole('button', { name: /^Actions for / })
    .last()
    .click()
  await userPage.getByRole('menuitem', { name: 'Rename' }).click()
  const name = sheet.getByRole('textbox', { name: 'Name of the conversation' })
  await expect(name).toBeFocused()
  await name.fill('Renamed on a phone')
  await name.press('Enter')
  await expect(links.last()).toContainText('Renamed on a phone')
  await expect(links.last()).toBeFocused()

  // Escape keeps the old name.
  await links.last().press('F2')
  await name.fill('Not this')
  await name.press('Escape')
  await userPage.reload()
  await userPage.getByRole('button', { name: 'Show conversations' }).click()
  await expect(links.last()).toContainText('Renamed on a phone')
  await links.last().press('Enter')
  await expect(sheet).toBeHidden()
  await expect(questions(userPage)).toContainText('The first of two.')
  await expect(userPage.getByRole('button', { name: 'Rename “Renamed on a phone”' })).toBeVisible()
})
