import { answers, composer } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a model is picked in the composer and kept for the conversation, and another one answers again', async ({
  userPage: page,
  server,
}) => {
  server.openAi.models = ['test-model', { id: 'seer', architecture: { input_modalities: ['text', 'image'] } }]
  await server.call('POST', '/admin/connections/environment/test', { token: server.admin.token })
  server.openAi.when('Who are you?', (request) => ({ text: `I am ${request.body.model}.` }))
  await page.goto('/chat')
  const picker = page.getByRole('button', { name: /^Model: / })
  await picker.click()
  const panel = page.getByRole('dialog', { name: 'Model' })
  await panel.getByText('Response settings').click()
  await panel.getByRole('textbox', { name: 'Temperature' }).fill('0.4')
  await expectAccessible(page)
  await panel.getByRole('button', { name: /^seer/ }).click()
  await expect(picker).toHaveAccessibleName('Model: seer')
  await composer(page).fill('Who are you?')
  await composer(page).press('Enter')
  await expect(answers(page)).toContainText('I am seer.')
  expect(server.openAi.chats().at(-1)?.body).toMatchObject({ model: 'seer', temperature: 0.4 })

  await page.reload()
  await expect(picker).toHaveAccessibleName('Model: seer')
  await page.getByRole('button', { name: 'Answer with another model' }).click()
  await page.getByRole('menuitem', { name: /test-model/ }).click()
  await expect(answers(page)).toContainText('I am test-model.')
  await expect(picker).toHaveAccessibleName('Model: seer')

  await picker.click()
  await panel.getByRole('button', { name: 'Start new conversations with seer' }).click()
  await expect(panel.getByText('Your new conversations start with this model.')).toBeVisible()
  await page.goto('/chat')
  await expect(picker).toHaveAccessibleName('Model: seer')
})

test('two models answer the same question side by side, and one answer is kept', async ({
  userPage: page,
  account,
  server,
}) => {
  server.openAi.models = ['test-model', 'seer']
  await server.call('POST', '/admin/connections/environment/test', { token: server.admin.token })
  await server.call('POST', '/projects', { token: account.token, body: { name: 'Rivers', instructions: 'Be brief.' } })
  server.openAi.when('Which river', (request) => ({
    ...{ text: ['A river, ', 'says ', `${request.body.model}.`], delayMs: 700 },
  }))
  await page.goto('/chat')
  // an @ mention is sent with the question to both models
  await composer(page).pressSequentially('@riv')
  await expect(page.getByRole('option', { name: /^Rivers/ })).toBeVisible()
  await expectAccessible(page)
  await composer(page).press('Enter')
  await expect(page.getByRole('list', { name: 'Mentioned' })).toContainText('Rivers')
  await page.getByRole('button', { name: /^Model: / }).click()
  await page.getByRole('checkbox', { name: 'seer' }).check()
  await page.keyboard.press('Escape')
  await composer(page).fill('Which river is the longest?')
  await composer(page).press('Enter')
  const compared = page.getByRole('region', { name: 'Compare the answers' })
  const other = compared.getByRole('article', { name: 'seer' })
  await expect(other).toContainText('A river')
  // a reload during the answers shows them side by side again; once one is kept, its versions can still be compared
  await page.reload()
  await expect(compared.getByRole('article', { name: 'test-model' })).toContainText('A river, says test-model.')
  await expect(other).toContainText('A river, says seer.')
  await expectAccessible(page)
  await other.getByRole('button', { name: 'Keep this answer' }).click()
  await expect(answers(page)).toContainText('says seer')
  await page.reload()
  await expect(answers(page)).toContainText('says seer')
  await expect(compared).toBeHidden()
  await page.getByRole('button', { name: 'Compare side by side' }).click()
  await expect(compared.getByRole('article')).toHaveCount(2)
  await compared.getByRole('article', { name: 'test-model' }).getByRole('button', { name: 'Keep this answer' }).click()
  await expect(answers(page)).toContainText('says test-model')
  await expect(page.getByRole('list', { name: 'Mentions' })).toContainText('Rivers')
  const requests = server.openAi.chats().filter(({ body }) => JSON.stringify(body.messages).includes('Be brief.'))
  expect(requests.map(({ body }) => body.model).toSorted()).toEqual(['seer', 'test-model'])
})
