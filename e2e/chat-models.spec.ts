import { answers, composer } from './support/chat-page.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('a model is picked in the composer, stays with the conversation, and another one answers again', async ({
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
  await panel.getByText('How it answers').click()
  await panel.getByRole('spinbutton', { name: 'Temperature' }).fill('0.4')
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
  await panel.getByRole('button', { name: 'Begin new conversations with seer' }).click()
  await expect(panel.getByText('Your new conversations begin with this model.')).toBeVisible()
  await page.goto('/chat')
  await expect(picker).toHaveAccessibleName('Model: seer')
})
