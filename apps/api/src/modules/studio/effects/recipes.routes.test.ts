import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let token: string
beforeAll(async () => {
  mira = await startTestApp()
  token = (await mira.createUser({ can_upload: true })).token
})
afterAll(() => mira.close())

test('saves, replaces and deletes recipes by name', async () => {
  const path = '/api/image-effects/recipes'
  const steps = [
    { effect_name: 'vintage', intensity: 1.2 },
    { effect_name: 'vignette', intensity: 1 },
  ]
  const { body: saved } = await mira.request
    .post(path)
    .auth(token, { type: 'bearer' })
    .send({ name: 'Old days', steps })
    .expect(201)
  expect(saved).toMatchObject({ name: 'Old days', steps })
  await mira.request
    .post(path)
    .auth(token, { type: 'bearer' })
    .send({ name: 'Old days', steps: steps.slice(1) })
    .expect(201)
  const { body } = await mira.request.get(path).auth(token, { type: 'bearer' }).expect(200)
  expect(body.recipes).toMatchObject([{ name: 'Old days', steps: steps.slice(1) }])
  await mira.request.post(path).auth(token, { type: 'bearer' }).send({ name: 'None', steps: [] }).expect(422)
  await mira.request.delete(`${path}/${body.recipes[0].id}`).auth(token, { type: 'bearer' }).expect(204)
  expect((await mira.request.get(path).auth(token, { type: 'bearer' })).body.recipes).toEqual([])
})

test('a recipe belongs to one user: others neither see nor replace nor delete it', async () => {
  const path = '/api/image-effects/recipes'
  const [owner, other] = [await mira.createUser({ can_upload: true }), await mira.createUser({ can_upload: true })]
  const save = (account: typeof owner, effect_name: string) =>
    mira.request
      .post(path)
      .auth(account.token, { type: 'bearer' })
      .send({ name: 'Mine', steps: [{ effect_name, intensity: 1 }] })
      .expect(201)
  const list = async (account: typeof owner) =>
    (await mira.request.get(path).auth(account.token, { type: 'bearer' }).expect(200)).body.recipes
  const { body: saved } = await save(owner, 'sepia')
  expect(await list(other)).toEqual([])
  await mira.request.delete(`${path}/${saved.id}`).auth(other.token, { type: 'bearer' }).expect(404)
  await save(other, 'vivid')
  expect(await list(owner)).toMatchObject([{ id: saved.id, steps: [{ effect_name: 'sepia' }] }])
})

test('replaces a recipe at the limit of 200, but adds none', async () => {
  const { user, token } = await mira.createUser({ can_upload: true })
  const steps = [{ effect_name: 'sepia', intensity: 1 }]
  const data = Array.from({ length: 200 }, (_, index) => ({ userId: user.id, name: `Recipe ${index}`, steps }))
  await mira.context.database.prisma.effectRecipe.createMany({ data })
  const save = (name: string) =>
    mira.request
      .post('/api/image-effects/recipes')
      .auth(token, { type: 'bearer' })
      .send({ name, steps: [{ effect_name: 'vivid', intensity: 0.5 }] })
  const { body } = await save('Recipe 7').expect(201)
  expect(body.steps).toEqual([{ effect_name: 'vivid', intensity: 0.5 }])
  expect((await save('Another').expect(409)).body.code).toBe('too_many_recipes')
})
