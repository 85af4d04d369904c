import { createConversation, sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const ANSWER = [
  'The rent is due **monthly**:',
  '| Month | Rent |\n|---|---|\n| March | 900 |',
  '```html\n<h1>A page</h1>\n```',
  `\`\`\`sh\necho ${'a-long-word '.repeat(40)}the-end\n\`\`\``,
].join('\n\n')

test('a conversation is printed from its first message to its last, in dark text, with nothing cut off', async ({
  userPage,
  account,
  server,
}) => {
  test.slow()
  // more than the page loads at once
  const questions = Array.from({ length: 105 }, (_, index) => `Question ${index}`)
  const id = await createConversation(server, account, 'The rent', questions)
  server.openAi.when('What is the rent', { text: ANSWER })
  await sendMessage(server, account, 'What is the rent?', id)
  await userPage.emulateMedia({ colorScheme: 'dark' })
  await userPage.goto(`/chat?session=${id}`)
  await userPage.getByRole('button', { name: 'Actions for The rent' }).click()
  const opening = userPage.context().waitForEvent('page')
  await userPage.getByRole('menuitem', { name: 'Print or save as PDF' }).click()
  const paper = await opening
  await expect(paper.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(paper.getByText('Question 0', { exact: true })).toBeVisible()
  await expect(paper.getByRole('cell', { name: '900' })).toBeVisible()
  await expect(paper.getByText('<h1>A page</h1>')).toBeVisible()
  await expect(paper.locator('iframe')).toHaveCount(0)
  await expectAccessible(paper)

  await paper.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(paper.getByRole('button', { name: 'Print or save as PDF' })).toBeHidden()
  const code = paper.locator('pre').last()
  expect(await code.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  const [red = 255] = await paper.getByText('Question 0', { exact: true }).evaluate((element) => {
    return getComputedStyle(element).color.match(/\d+/g)?.map(Number) ?? []
  })
  expect(red).toBeLessThan(90)
  const pdf = await paper.pdf()
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
})
