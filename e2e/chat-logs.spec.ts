import type { ChatStats } from '@mira/shared'
import type { Page } from '@playwright/test'
import { createConversation, listConversations } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const address = '/dashboard?tab=chat-logs'

/** Names in the table, from the top. */
function names(page: Page) {
  return page.getByRole('rowheader')
}

function deleteButton(page: Page, name: string) {
  return page.getByRole('button', { name: `Delete “${name}”` })
}

test('without conversations, the empty state links to the chat', async ({ userPage }) => {
  await userPage.goto(address)
  await expect(userPage.getByRole('heading', { name: 'Chat Management' })).toBeVisible()
  await expect(userPage.getByRole('heading', { name: 'No chat sessions' })).toBeVisible()
  await expect(userPage.getByText('Start your first conversation to see it appear here.')).toBeVisible()
  await expect(userPage.getByRole('link', { name: 'Start New Chat' })).toHaveAttribute('href', '/chat')
  await userPage.getByRole('link', { name: 'Start Chatting' }).click()
  await expect(userPage).toHaveURL(/\/chat$/)
})

test('the cards and the table show the figures of the API', async ({ server, account, userPage }) => {
  const id = await createConversation(server, account, 'Trip to Porto', ['Where to eat?', 'And to sleep?'])
  const [stats, [session]] = await Promise.all([
    server.call<ChatStats>('GET', '/chat/stats', account),
    listConversations(server, account),
  ])
  expect(stats).toMatchObject({ total_sessions: 1, active_sessions: 1 })

  await userPage.goto(address)
  const cards = userPage.getByRole('region', { name: 'Figures for your conversations' })
  await expect(cards).toContainText(/Total Sessions\s*1/)
  await expect(cards).toContainText(/Active Sessions\s*1/)
  const seconds = stats.avg_response_time!
  const formattedTime = seconds < 0.1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
  await expect(cards).toContainText(formattedTime)

  const columns = ['Session', 'Agent Used', 'Messages', 'Tokens', 'Status', 'Last Updated', 'Actions']
  for (const name of columns) await expect(userPage.getByRole('columnheader', { name, exact: true })).toBeVisible()
  const row = userPage.getByRole('row', { name: /Trip to Porto/ })
  await expect(row).toContainText('Active')
  await expect(row).toContainText('Neutral')
  await expect(row.getByRole('cell', { name: '4', exact: true })).toBeVisible()
  // The average of the only conversation is the average of all.
  await expect(
    row.getByRole('cell', { name: `${session?.tokens_used} ${formattedTime} avg response`, exact: true }),
  ).toBeVisible()
  await row.getByRole('link', { name: 'View “Trip to Porto”' }).click()
  await expect(userPage).toHaveURL(new RegExp(`/chat\\?session=${id}$`))
})

test('deleting a conversation asks first and moves it to the trash, and Undo restores it', async ({
  server,
  account,
  userPage,
}) => {
  await createConversation(server, account, 'Keep me')
  await createConversation(server, account, 'Drop me')
  await userPage.goto(address)

  await deleteButton(userPage, 'Drop me').click()
  const dialog = userPage.getByRole('alertdialog', { name: 'Are you sure you want to delete this chat session?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(names(userPage)).toHaveText(['Drop me', 'Keep me'])

  await deleteButton(userPage, 'Drop me').click()
  await dialog.getByRole('button', { name: 'Delete session' }).click()
  await expect(names(userPage)).toHaveText(['Keep me'])
  expect((await listConversations(server, account)).map(({ session_name }) => session_name)).toEqual(['Keep me'])
  await userPage.getByRole('button', { name: 'Undo' }).click()
  await expect(names(userPage)).toHaveText(['Drop me', 'Keep me'])
})

test('a conversation is marked as completed, and as active again', async ({ server, account, userPage }) => {
  await createConversation(server, account, 'Holidays')
  await userPage.goto(address)
  const row = userPage.getByRole('row', { name: /Holidays/ })
  const statusOnServer = async () => (await listConversations(server, account))[0]?.status

  const complete = row.getByRole('button', { name: 'Mark “Holidays” as completed' })
  await complete.focus()
  await userPage.keyboard.press('Enter')
  await expect(row).toContainText('Completed')
  expect(await statusOnServer()).toBe('completed')
  const activate = row.getByRole('button', { name: 'Mark “Holidays” as active' })
  await expect(activate).toBeFocused()
  await activate.click()
  await expect(row).toContainText('Active')
  expect(await statusOnServer()).toBe('active')

  await userPage.route('**/api/chat/sessions/*', (route) => route.abort())
  await complete.click()
  await expect(userPage.getByText('Couldn’t change the status', { exact: true })).toBeVisible()
  await expect(row).toContainText('Active')
})

test('a single selected conversation is deleted as a selection', async ({ server, account, userPage }) => {
  await createConversation(server, account, 'Ticked')
  await userPage.goto(address)
  await userPage.getByRole('checkbox', { name: 'Select “Ticked”' }).check()
  await userPage.getByRole('button', { name: 'Delete Selected (1)' }).click()
  await userPage
    .getByRole('alertdialog', { name: 'Delete 1 selected sessions?' })
    .getByRole('button', { name: 'Delete session' })
    .click()
  await expect(names(userPage)).toHaveCount(0)
})

test('a selection is deleted in one step, after a confirmation with its count', async ({
  server,
  account,
  userPage,
}) => {
  for (const name of ['One', 'Two', 'Three']) await createConversation(server, account, name)
  await userPage.goto(address)
  const selectAll = userPage.getByRole('checkbox', { name: 'Select all sessions on this page' })
  const deleteSelected = userPage.getByRole('button', { name: /^Delete Selected/ })

  await expect(deleteSelected).toHaveCount(0)
  await userPage.getByRole('checkbox', { name: 'Select “One”' }).check()
  await expect(selectAll).toHaveJSProperty('indeterminate', true)
  await expect(deleteSelected).toHaveText('Delete Selected (1)')
  await selectAll.check()
  await expect(selectAll).toHaveJSProperty('indeterminate', false)
  await expect(deleteSelected).toHaveText('Delete Selected (3)')
  await userPage.getByRole('checkbox', { name: 'Select “Two”' }).uncheck()
  await expect(selectAll).toHaveJSProperty('indeterminate', true)

  await deleteSelected.click()
  await userPage
    .getByRole('alertdialog', { name: 'Delete 2 selected sessions?' })
    .getByRole('button', { name: 'Delete 2 sessions' })
    .click()
  await expect(names(userPage)).toHaveText(['Two'])
  await expect(deleteSelected).toHaveCount(0)
  expect(await listConversations(server, account)).toHaveLength(1)
})

test('a failed deletion shows an error and leaves the list unchanged', async ({ server, account, userPage }) => {
  await createConversation(server, account, 'Stays')
  await userPage.route('**/api/chat/sessions/trash', (route) => route.abort())
  await userPage.goto(address)
  await deleteButton(userPage, 'Stays').click()
  await userPage.getByRole('button', { name: 'Delete session', exact: true }).click()
  await expect(userPage.getByText('Couldn’t be moved to the trash', { exact: true })).toBeVisible()
  await expect(names(userPage)).toHaveText(['Stays'])
  await expect(deleteButton(userPage, 'Stays')).toBeEnabled()
})

test('the server searches, filters and sorts the list, and the URL keeps the search', async ({
  server,
  account,
  userPage,
}) => {
  await createConversation(server, account, 'Bread', ['How long must sourdough rest?'])
  await createConversation(server, account, 'Apples', ['One', 'Two', 'Three'])
  const completed = await createConversation(server, account, 'Cider', ['One', 'Two'])
  await server.call('PATCH', `/chat/sessions/${completed}`, { token: account.token, body: { status: 'completed' } })
  await userPage.goto(address)
  await expect(names(userPage)).toHaveText(['Cider', 'Apples', 'Bread'])

  await userPage.getByRole('button', { name: 'Session', exact: true }).click()
  await expect(names(userPage)).toHaveText(['Apples', 'Bread', 'Cider'])
  await expect(userPage.getByRole('columnheader', { name: 'Session', exact: true })).toHaveAttribute(
    'aria-sort',
    'ascending',
  )
  await userPage.getByRole('button', { name: 'Session', exact: true }).click()
  await expect(names(userPage)).toHaveText(['Cider', 'Bread', 'Apples'])
  await userPage.getByRole('button', { name: 'Messages' }).click()
  await expect(names(userPage)).toHaveText(['Apples', 'Cider', 'Bread'])

  await userPage.getByLabel('Status').selectOption('Completed')
  await expect(names(userPage)).toHaveText(['Cider'])
  await userPage.getByLabel('Status').selectOption('All statuses')

  // Words of a message, not of the name.
  await userPage.getByRole('searchbox', { name: 'Search sessions' }).fill('sourdough')
  await expect(names(userPage)).toHaveText(['Bread'])
  await userPage.reload()
  await expect(userPage.getByRole('searchbox', { name: 'Search sessions' })).toHaveValue('sourdough')
  await expect(names(userPage)).toHaveText(['Bread'])

  await userPage.getByRole('searchbox', { name: 'Search sessions' }).fill('no such words')
  await expect(userPage.getByRole('heading', { name: 'No sessions found' })).toBeVisible()
  await userPage.getByRole('button', { name: 'Show all sessions' }).click()
  await expect(names(userPage)).toHaveText(['Apples', 'Cider', 'Bread'])
})

test('long lists are paginated, and deleting the last item of a page shows the previous page', async ({
  server,
  account,
  userPage,
}) => {
  const all = Array.from({ length: 21 }, (_, index) => `Session ${String(index + 1).padStart(2, '0')}`)
  for (const name of all) await createConversation(server, account, name)
  await userPage.goto(`${address}&sort=name&order=asc`)
  await expect(names(userPage)).toHaveText(all.slice(0, 20))
  await expect(userPage.getByRole('button', { name: 'Previous' })).toBeDisabled()

  await userPage.getByRole('button', { name: 'Next' }).click()
  await expect(names(userPage)).toHaveText(['Session 21'])
  await expect(userPage.getByText('Page 2')).toBeVisible()
  await expect(userPage.getByRole('button', { name: 'Next' })).toBeDisabled()

  await deleteButton(userPage, 'Session 21').click()
  await userPage.getByRole('button', { name: 'Delete session', exact: true }).click()
  await expect(names(userPage)).toHaveText(all.slice(0, 20))
  await expect(userPage.getByRole('navigation', { name: 'Pages of chat sessions' })).toHaveCount(0)
})

test('changes made elsewhere appear without a reload', async ({ server, account, userPage }) => {
  await userPage.goto(address)
  await expect(userPage.getByRole('heading', { name: 'No chat sessions' })).toBeVisible()
  const id = await createConversation(server, account, 'From my phone')
  await expect(names(userPage)).toHaveText(['From my phone'])
  await server.call('DELETE', `/chat/sessions/${id}`, { token: account.token })
  await expect(userPage.getByRole('heading', { name: 'No chat sessions' })).toBeVisible()
})

test('a list that fails to load shows an error and can be retried', async ({ server, account, userPage }) => {
  await createConversation(server, account, 'Here I am')
  const broken = '**/api/chat/sessions?**'
  await userPage.route(broken, (route) => route.abort())
  await userPage.goto(address)
  await expect(userPage.getByText('Couldn’t load')).toBeVisible()
  await userPage.unroute(broken)
  await userPage.getByRole('button', { name: 'Retry' }).click()
  await expect(names(userPage)).toHaveText(['Here I am'])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme })

    test('the table passes axe, and its rows are operated by keyboard', async ({ server, account, userPage }) => {
      await createConversation(server, account, 'By keyboard')
      await userPage.goto(address)
      const checkbox = userPage.getByRole('checkbox', { name: 'Select “By keyboard”' })
      await checkbox.focus()
      await userPage.keyboard.press('Space')
      await expect(checkbox).toBeChecked()
      await expectAccessible(userPage)
      for (const _ of ['name', 'view', 'status', 'delete']) await userPage.keyboard.press('Tab')
      await expect(deleteButton(userPage, 'By keyboard')).toBeFocused()
      await userPage.keyboard.press('Enter')
      await expect(userPage.getByRole('alertdialog')).toBeVisible()
      await expectAccessible(userPage)
      await userPage.keyboard.press('Escape')
      await expect(names(userPage)).toHaveText(['By keyboard'])
    })

    test.describe('at 360 px', () => {
      test.use({ viewport: { width: 360, height: 740 } })

      test('each conversation is a card with all its details and actions', async ({ server, account, userPage }) => {
        await createConversation(server, account, 'A conversation with a name that is far too long for a narrow window')
        await userPage.goto(address)
        const item = userPage.getByRole('list', { name: 'Chat sessions' }).getByRole('listitem')
        await expect(item).toContainText('2 messages')
        await expect(item).toContainText('avg response')
        await item.getByRole('button', { name: /^Mark .* completed$/ }).click()
        await expect(item).toContainText('Completed')
        await expectAccessible(userPage)
        expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)

        await userPage.getByRole('checkbox', { name: 'Select all sessions on this page' }).check()
        await userPage.getByRole('button', { name: 'Delete Selected (1)' }).click()
        await userPage.getByRole('button', { name: 'Delete session', exact: true }).click()
        await expect(userPage.getByRole('heading', { name: 'No chat sessions' })).toBeVisible()
      })
    })
  })
}
