import { createConversation } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'
import { upload } from './support/library.ts'

for (const { colorScheme, width } of themesAndWidths) {
  test(`deleted items and conversations are restored or deleted permanently (${colorScheme}, ${width} px)`, async ({
    server,
    account,
    openPageAs,
  }) => {
    const page = await openPageAs(account, { colorScheme, viewport: { width, height: 844 } })
    const shot = async (name: string) => {
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}-${colorScheme}-${width}.png` })
    }
    const ids = []
    for (const name of ['first', 'second', 'third']) {
      ids.push((await upload(server, account, `${name}.txt`, `The ${name} note about the harbour.`)).id)
    }
    await server.call('POST', '/media/trash', { ...account, body: { ids } })
    const conversation = await createConversation(server, account, 'Days in Lisbon')
    await server.call('POST', '/chat/sessions/trash', { ...account, body: { ids: [conversation] } })

    await page.goto('/gallery')
    await page.getByRole('link', { name: 'Trash' }).click()
    const rows = page.getByRole('list', { name: 'Items in the trash' }).getByRole('listitem')
    await expect(rows).toHaveCount(3)
    await expect(rows.first()).toContainText('30 days left')
    await expectAccessible(page)
    await shot('trash-items')

    await page.getByRole('button', { name: 'Restore second.txt' }).press('Enter')
    await expect(rows).toHaveCount(2)
    await expect(page.getByText('second.txt was restored', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Delete first.txt now' }).click()
    const dialog = page.getByRole('alertdialog')
    await expect(dialog).toContainText('It can’t be restored.')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await expect(rows).toHaveCount(1)
    await page.getByRole('button', { name: 'Empty trash' }).click()
    await dialog.getByRole('button', { name: 'Empty trash' }).click()
    await expect(page.getByRole('heading', { name: 'No items in the trash' })).toBeVisible()
    await expectAccessible(page)
    await shot('trash-empty')

    await page.getByRole('tab', { name: 'Conversations' }).click()
    await page.getByRole('button', { name: 'Restore Days in Lisbon' }).click()
    await expect(page.getByRole('heading', { name: 'No conversations in the trash' })).toBeVisible()
    await page.goto(`/chat?session=${conversation}`)
    await expect(
      page.getByRole('heading', { name: 'Days in Lisbon' }).or(page.getByText('Days in Lisbon').first()),
    ).toBeVisible()
    await page.goto('/gallery')
    await expect(page.getByRole('grid', { name: 'Library, 1 item' })).toBeVisible()
  })
}

test('the conversation list leads to the deleted conversations', async ({ server, account, userPage: page }) => {
  const id = await createConversation(server, account, 'Rivers')
  await server.call('POST', '/chat/sessions/trash', { ...account, body: { ids: [id] } })
  await page.goto('/chat')
  await page.getByRole('button', { name: /^Showing: / }).click()
  await page.getByRole('menuitem', { name: 'Trash' }).click()
  await expect(page.getByRole('list', { name: 'Conversations in the trash' })).toContainText('Rivers')
})
