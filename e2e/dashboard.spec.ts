import type { ActivityEntryJson, CreateUserJson, Overview } from '@mira/shared'
import type { Page } from '@playwright/test'
import { createConversation, sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'
import { upload } from './support/library.ts'

const noPermissions = { can_chat: false, can_upload: false, can_use_voice: false, can_use_agents: false }

/** Card of the overview, by name. */
function card(page: Page, name: string) {
  return page.getByRole('region', { name: 'Your figures' }).locator('div', { hasText: name }).first()
}

async function tabNames(page: Page): Promise<string[]> {
  await expect(page.getByRole('tab', { name: 'Overview' })).toBeVisible()
  return page.getByRole('tab').allInnerTexts()
}

test.describe('the tabs', () => {
  const cases: [string, Partial<CreateUserJson>, string[]][] = [
    ['a guest without any permission', { ...noPermissions, role: 'guest' }, ['Overview', 'Settings']],
    ['a user who may only chat', { ...noPermissions, can_chat: true }, ['Overview', 'Chat Logs', 'Settings']],
    ['a user who may only upload', { ...noPermissions, can_upload: true }, ['Overview', 'Memory Logs', 'Settings']],
    [
      'a user who may only use agents',
      { ...noPermissions, can_use_agents: true },
      ['Overview', 'Agents Logs', 'Analytics', 'Settings'],
    ],
    [
      'an admin without any permission',
      { ...noPermissions, role: 'admin' },
      ['Overview', 'Analytics', 'Automation', 'Settings'],
    ],
    [
      'an admin with every permission',
      { role: 'admin' },
      ['Overview', 'Chat Logs', 'Memory Logs', 'Agents Logs', 'Analytics', 'Automation', 'Settings'],
    ],
  ]
  for (const [who, overrides, expected] of cases) {
    test(`${who} sees ${expected.join(', ')}`, async ({ server, openPageAs }) => {
      const page = await openPageAs(await server.createAccount(overrides))
      await page.goto('/dashboard')
      expect(await tabNames(page)).toEqual(expected)
    })
  }

  test('the tab is kept in the URL: a reload stays on it, and going back returns to the previous one', async ({
    userPage,
  }) => {
    await userPage.goto('/dashboard')
    await userPage.getByRole('tab', { name: 'Settings' }).click()
    await expect(userPage).toHaveURL(/\/dashboard\?tab=settings$/)
    await userPage.reload()
    await expect(userPage.getByRole('tab', { name: 'Settings' })).toHaveAttribute('aria-selected', 'true')
    await expect(userPage.getByRole('heading', { name: 'Profile Settings' })).toBeVisible()
    await userPage.goBack()
    await expect(userPage.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true')
  })

  test('the URL of an unavailable or unknown tab shows the overview', async ({ server, openPageAs }) => {
    const page = await openPageAs(await server.createAccount({ ...noPermissions, can_chat: true }))
    for (const tab of ['automation', 'analytics', 'nonsense']) {
      await page.goto(`/dashboard?tab=${tab}`)
      await expect(page.getByRole('heading', { name: 'Quick Actions' })).toBeVisible()
    }
  })

  test('a hint at the bottom right explains the tab until it is hidden', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    const hint = userPage.getByRole('complementary', { name: 'About this tab' })
    await expect(hint).toHaveText('Your activity and system status at a glance')
    await userPage.getByRole('tab', { name: 'Chat Logs' }).click()
    await expect(hint).toHaveText('All your conversations: find, sort, open and delete them.')

    await hint.getByRole('button', { name: 'Hide this hint' }).click()
    await userPage.reload()
    await expect(hint.getByRole('button', { name: 'What is this tab for?' })).toBeVisible()
    await expect(hint).not.toContainText('All your conversations')
    await hint.getByRole('button').click()
    await expect(hint).toContainText('All your conversations')
  })

  test('the greeting uses the full name, or the username where there is none', async ({ server, openPageAs }) => {
    const named = await server.createAccount({ full_name: 'Ada Lovelace' })
    const page = await openPageAs(named)
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Hello, Ada Lovelace')

    const nameless = await server.createAccount({ full_name: null })
    const otherPage = await openPageAs(nameless)
    await otherPage.goto('/dashboard')
    await expect(otherPage.getByRole('heading', { level: 1 })).toHaveText(`Hello, ${nameless.user.username}`)
  })
})

test.describe('the overview', () => {
  test('shows the figures of the API, and updates live', async ({ server, account, userPage }) => {
    await sendMessage(server, account, 'What is the capital of Portugal?')
    await sendMessage(server, account, 'And of Spain?')
    await userPage.goto('/dashboard')

    const { chat_sessions, efficiency } = await server.call<Overview>('GET', '/dashboard/overview', account)
    expect(chat_sessions).toBe(2)
    expect(efficiency).toBe(100)
    await expect(card(userPage, 'Chat Sessions')).toContainText('2')
    await expect(card(userPage, 'Media Items')).toContainText('0')
    await expect(card(userPage, 'Agent Calls')).toContainText('0')
    await expect(card(userPage, 'Efficiency')).toContainText('100.0%')

    await sendMessage(server, account, 'A question from another device')
    await expect(card(userPage, 'Chat Sessions')).toContainText('3')
  })

  test('says that nothing was measured instead of showing a figure', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    await expect(card(userPage, 'Efficiency')).toContainText('—')
    await expect(card(userPage, 'Efficiency')).toContainText('Not measured yet')
    await expect(card(userPage, 'Chat Sessions')).toContainText('No data from last week yet')
    await userPage.getByRole('button', { name: 'Efficiency' }).click()
    await expect(userPage.getByRole('tooltip', { name: /^Not measured yet: efficiency is the share/ })).toBeVisible()
  })

  test('links to the latest activity, and lists failures with a retry', async ({ server, account, userPage }) => {
    await upload(server, account, 'broken.pdf', '%PDF-1.4 broken')
    const id = await createConversation(server, account, 'Plans for June')
    const { activity } = await server.call<{ activity: ActivityEntryJson[] }>('GET', '/dashboard/activity', account)
    expect(activity[0]).toMatchObject({ title: 'Plans for June', link: `/chat?session=${id}` })

    await userPage.goto('/dashboard')
    const link = userPage.getByRole('link', { name: 'Plans for June' })
    await expect(link).toHaveAttribute('href', `/chat?session=${id}`)
    await expect(userPage.getByText('You signed in')).toBeVisible()
    await expect(userPage.getByRole('heading', { name: '1 item couldn’t be processed' })).toBeVisible()
    await expect(userPage.getByText('This PDF is damaged: it can’t be read.')).toBeVisible()
    const reprocessed = userPage.waitForResponse(
      (response) => response.url().endsWith('/reprocess') && response.status() < 300,
    )
    await userPage.getByRole('button', { name: 'Try again: broken.pdf' }).click()
    await reprocessed
    await userPage.getByRole('link', { name: 'View all activity' }).click()
    await expect(userPage).toHaveURL(/\/dashboard\?tab=analytics$/)
  })

  test('offers to delete an item that couldn’t be processed', async ({ server, account, userPage }) => {
    await upload(server, account, 'broken.pdf', '%PDF-1.4 broken')
    await userPage.goto('/dashboard')
    const heading = userPage.getByRole('heading', { name: '1 item couldn’t be processed' })
    await expect(heading).toBeVisible()
    await userPage.getByRole('button', { name: 'Delete: broken.pdf' }).click()
    await userPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expect(heading).toHaveCount(0)
    await expect(card(userPage, 'Media Items')).toContainText('0')
  })

  test('lists agent calls and searches made elsewhere as they happen', async ({ server, account, userPage }) => {
    await userPage.goto('/dashboard')
    await expect(userPage.getByText('You signed in')).toBeVisible()
    await server.call('POST', '/agents/CalculatorAgent/run', { token: account.token, body: { input: '6 * 7' } })
    await expect(userPage.getByText('CalculatorAgent')).toBeVisible()
    await expect(card(userPage, 'Agent Calls')).toContainText('1')
    await server.call('GET', '/media/search?query=lighthouse', account)
    await expect(userPage.getByText('lighthouse')).toBeVisible()
  })

  test('shows the status of each part of the system, and links administrators to the details', async ({
    userPage,
    adminPage,
  }) => {
    await userPage.goto('/dashboard')
    for (const part of ['AI Service', 'Vector Store', 'Media Processing', 'Agents', 'Uptime', 'Last Backup']) {
      await expect(userPage.getByRole('term').filter({ hasText: part })).toBeVisible()
    }
    await expect(userPage.getByText('Never').first()).toBeVisible()
    await userPage.getByRole('link', { name: 'View system details' }).click()
    await expect(userPage).toHaveURL(/\/dashboard$/)
    await expect(userPage.getByRole('heading', { name: 'System Health' })).toBeVisible()

    await adminPage.goto('/dashboard')
    await adminPage.getByRole('link', { name: 'View system details' }).click()
    await expect(adminPage).toHaveURL(/\/admin/)
  })

  test('quick actions are links with shortcuts, which don’t work while a dialog is open', async ({ userPage }) => {
    for (const [key, tile, path] of [
      ['c', 'Start Chat', '/chat'],
      ['u', 'Upload Media', '/upload'],
      ['s', 'Search Memory', '/memory'],
      ['a', 'Use Agents', '/agents'],
    ] as const) {
      await userPage.goto('/dashboard')
      await expect(userPage.getByRole('tabpanel').getByRole('link', { name: tile })).toHaveAttribute('href', path)
      await userPage.keyboard.press(key)
      await expect(userPage).toHaveURL(new RegExp(`${path}$`))
    }

    await userPage.goto('/dashboard')
    await expect(userPage.getByRole('heading', { name: 'Quick Actions' })).toBeVisible()
    await userPage.keyboard.press('?')
    await expect(userPage.getByRole('dialog')).toContainText('Memory Search')
    await userPage.keyboard.press('u')
    await expect(userPage.getByRole('dialog')).toBeVisible()
    await expect(userPage).toHaveURL(/\/dashboard$/)
  })

  test('tiles without permission are marked and inactive', async ({ server, openPageAs }) => {
    const page = await openPageAs(await server.createAccount({ ...noPermissions, can_chat: true }))
    await page.goto('/dashboard')
    await expect(page.getByText('Access restricted')).toHaveCount(3)
    await expect(page.getByRole('tabpanel').getByRole('link', { name: 'Upload Media' })).toHaveCount(0)
    await page.keyboard.press('u')
    await page.keyboard.press('a')
    await page.keyboard.press('s')
    await expect(page).toHaveURL(/\/dashboard$/)
    await page.keyboard.press('c')
    await expect(page).toHaveURL(/\/chat$/)
  })

  test('“View all activity” leads to the memory logs without access to analytics, and is hidden without either', async ({
    server,
    openPageAs,
  }) => {
    const page = await openPageAs(await server.createAccount({ ...noPermissions, can_upload: true }))
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'View all activity' }).click()
    await expect(page).toHaveURL(/\/dashboard\?tab=memory-logs$/)
    await expect(page.getByRole('heading', { name: /^Activity Timeline \(/ })).toBeVisible()

    const other = await openPageAs(await server.createAccount({ ...noPermissions, can_chat: true }))
    await other.goto('/dashboard')
    await expect(other.getByText('You signed in')).toBeVisible()
    await expect(other.getByRole('link', { name: 'View all activity' })).toHaveCount(0)
  })

  test('only the part that failed to load shows an error, and can be retried', async ({ userPage }) => {
    const broken = '**/api/dashboard/overview'
    await userPage.route(broken, (route) => route.abort())
    await userPage.goto('/dashboard')
    await expect(userPage.getByText('Couldn’t load')).toHaveCount(1)
    await expect(userPage.getByText('You signed in')).toBeVisible()

    await userPage.unroute(broken)
    await userPage.getByRole('button', { name: 'Retry' }).click()
    await expect(card(userPage, 'Chat Sessions')).toContainText('0')
    await expect(userPage.getByText('Couldn’t load')).toHaveCount(0)
  })
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('the four cards form two rows of two', async ({ userPage }) => {
    await userPage.goto('/dashboard')
    await expect(card(userPage, 'Efficiency')).toContainText('Not measured yet')
    const boxes = await Promise.all(
      ['Chat Sessions', 'Media Items', 'Agent Calls', 'Efficiency'].map((name) => card(userPage, name).boundingBox()),
    )
    const [first, second, third, fourth] = boxes.map((box) => box!)
    expect(second!.y).toBe(first!.y)
    expect(fourth!.y).toBe(third!.y)
    expect(third!.y).toBeGreaterThan(first!.y)
    expect(third!.x).toBe(first!.x)
    expect(second!.x).toBeGreaterThan(first!.x)
  })
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('the overview passes axe and doesn’t overflow', async ({ server, account, userPage }) => {
      await createConversation(server, account, 'A conversation with a name that is far too long for a narrow window')
      await userPage.goto('/dashboard')
      await expect(userPage.getByRole('link', { name: /far too long/ })).toBeVisible()
      await expect(userPage.getByText('Last Backup')).toBeVisible()
      await expectAccessible(userPage)
      expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })
  })
}
