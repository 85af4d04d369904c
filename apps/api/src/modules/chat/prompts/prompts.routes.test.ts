import type { PromptJson, PromptsResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
})
beforeEach(async () => {
  anna = await mira.createUser({ can_chat: true })
})
afterAll(() => mira.close())

const call = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, account = anna) => {
  const pending = mira.request[method](`/api${path}`).auth(account.token, { type: 'bearer' })
  return body === undefined ? pending : pending.send(body)
}
const letter = { title: 'A letter', command: 'Letter', text: 'Write to {{name}} in {{ tone }}. Dear {{name}},' }
const save = async (prompt: object = letter, account = anna): Promise<PromptJson> =>
  (await call('post', '/prompts', prompt, account).expect(201)).body
const list = async (query = ''): Promise<PromptsResponseJson> =>
  (await call('get', `/prompts${query}`).expect(200)).body

test('a prompt can be saved with its variables, changed and deleted', async () => {
  const saved = await save()
  expect(saved).toMatchObject({ ...letter, command: 'letter', variables: ['name', 'tone'] })
  expect((await list()).prompts).toEqual([saved])
  const changed = (await call('patch', `/prompts/${saved.id}`, { text: 'Hello' }).expect(200)).body
  expect(changed).toMatchObject({ title: 'A letter', command: 'letter', text: 'Hello', variables: [] })
  await call('delete', `/prompts/${saved.id}`).expect(204)
  await call('delete', `/prompts/${saved.id}`).expect(404)
  expect((await list()).prompts).toEqual([])
})

test('a command is unique per user', async () => {
  const { id } = await save()
  const other = await save({ ...letter, command: 'mail' })
  const refusal = (await call('post', '/prompts', letter).expect(409)).body
  expect(refusal).toMatchObject({ code: 'prompt_command_taken', detail: expect.stringContaining('/letter') })
  await call('patch', `/prompts/${other.id}`, { command: 'LETTER' }).expect(409)
  await call('patch', `/prompts/${id}`, { command: 'letter' }).expect(200)
  await save(letter, await mira.createUser({ can_chat: true }))
})

test('prompts are listed by command, page by page', async () => {
  for (const command of ['c', 'b-2', 'a', 'über']) await save({ ...letter, command })
  const first = await list('?limit=3')
  expect(first.prompts.map(({ command }) => command)).toEqual(['a', 'b-2', 'c'])
  const second = await list(`?limit=3&cursor=${first.next_cursor}`)
  expect([second.prompts.map(({ command }) => command), second.next_cursor]).toEqual([['über'], null])
  await call('get', '/prompts?cursor=nonsense').expect(422)
})

test.each([
  { ...letter, command: 'two words' },
  { ...letter, command: '/letter' },
  { ...letter, command: '' },
  { ...letter, title: ' ' },
  { ...letter, text: 'x'.repeat(16_001) },
  { title: 'x', text: 'y' },
])('returns 422 for %j', async (body) => {
  await call('post', '/prompts', body).expect(422)
})
