import type { Page } from '@playwright/test'
import { answers, questions } from './support/chat-page.ts'
import { createConversation } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const versions = (page: Page) => page.getByRole('group', { name: 'Versions of this message' })

test('a user edits their message and switches between both versions', async ({ userPage, account, server }) => {
  const id = await createConversation(server, account, 'Rivers', ['About the Tagus', 'And its length'])
  await userPage.goto(`/chat?session=${id}`)
  await expect(answers(userPage)).toHaveCount(2)

  await questions(userPage).first().getByRole('button', { name: 'Edit' }).click()
  const editor = userPage.getByRole('textbox', { name: 'Edit your message' })
  await expect(editor).toBeFocused()
  await editor.fill('Never sent')
  await editor.press('Escape')
  await expect(questions(userPage).first()).toContainText('About the Tagus')

  await questions(userPage).first().getByRole('button', { name: 'Edit' }).click()
  await editor.fill('About the Douro')
  await editor.press('Enter')
  await expect(answers(userPage)).toHaveCount(1)
  await expect(answers(userPage)).toContainText('You said: About the Douro')
  await expect(versions(userPage)).toContainText('2 of 2')
  await expectAccessible(userPage)

  await versions(userPage).getByRole('button', { name: 'Previous version' }).press('Enter')
  await expect(questions(userPage).first()).toContainText('About the Tagus')
  await expect(answers(userPage)).toHaveCount(2)
  await expect(versions(userPage)).toContainText('1 of 2')
  await expect(versions(userPage).getByRole('button', { name: 'Previous version' })).toBeDisabled()

  await userPage.reload()
  await expect(versions(userPage)).toContainText('1 of 2')
  await versions(userPage).getByRole('button', { name: 'Next version' }).press('ArrowRight')
  await expect(questions(userPage)).toContainText(['About the Douro'])
})

test('a regenerated answer becomes a second version', async ({ userPage, account, server }) => {
  const id = await createConversation(server, account, 'Poem', ['A poem, please', 'And now this'])
  await userPage.goto(`/chat?session=${id}`)
  await expect(answers(userPage)).toHaveCount(2)
  server.openAi.when('A poem, please', { text: 'Another poem.' })
  await answers(userPage).first().getByRole('button', { name: 'Try again' }).click()
  await expect(answers(userPage)).toHaveCount(1)
  await expect(answers(userPage)).toContainText('Another poem.')
  await expect(versions(userPage)).toContainText('2 of 2')
  await versions(userPage).getByRole('button', { name: 'Previous version' }).click()
  await expect(answers(userPage).first()).toContainText('You said: A poem, please')
  await expect(answers(userPage)).toHaveCount(2)
})

test('an answer is rated, and a second click removes the rating', async ({ userPage, account, server }) => {
  const id = await createConversation(server, account, 'Rated', ['Rate me'])
  await userPage.goto(`/chat?session=${id}`)
  const good = answers(userPage).getByRole('button', { name: 'Good answer' })
  const bad = answers(userPage).getByRole('button', { name: 'Bad answer' })
  await good.click()
  await expect(good).toHaveAttribute('aria-pressed', 'true')
  await userPage.reload()
  await expect(good).toHaveAttribute('aria-pressed', 'true')
  await bad.click()
  await expect(bad).toHaveAttribute('aria-pressed', 'true')
  await expect(good).toHaveAttribute('aria-pressed', 'false')
  await bad.click()
  await expect(bad).toHaveAttribute('aria-pressed', 'false')
})

test('a message is copied as its Markdown source', async ({ userPage, account, server }) => {
  await userPage.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const id = await createConversation(server, account, 'Copied', ['Take **this** along'])
  await userPage.goto(`/chat?session=${id}`)
  await questions(userPage).getByRole('button', { name: 'Copy message' }).click()
  await expect(questions(userPage).getByText('Copied')).toBeVisible()
  expect(await userPage.evaluate(() => navigator.clipboard.readText())).toBe('Take **this** along')
})
