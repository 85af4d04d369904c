import type { MeJson } from '@mira/shared'
import { expect, it } from 'vitest'
import { firstStepsOf } from './first-steps.tsx'

const allPermissions = { is_active: true, can_chat: true, can_upload: true, can_use_agents: true, can_use_voice: true }
const noData = { conversations: 0, uploads: 0, searches: 0, instance: null }
const namesOf = (steps: ReturnType<typeof firstStepsOf>, isDone?: boolean) =>
  steps.filter((step) => isDone === undefined || step.isDone === isDone).map(({ name }) => name)

it('every user gets steps to upload, search and ask, and an administrator also to set up the server', () => {
  const regularUser = { ...allPermissions, role: 'user' } as MeJson
  expect(namesOf(firstStepsOf(regularUser, noData))).toEqual(['upload', 'search', 'ask'])
  const instance = { hasModel: false, hasLocalModel: false, mayRunModels: true, hasBackup: false, people: 1 }
  expect(namesOf(firstStepsOf({ ...regularUser, role: 'admin' }, { ...noData, instance }))).toEqual([
    ...['model', 'localModels', 'backup', 'people'],
    ...['upload', 'search', 'ask'],
  ])
})

it('omits steps without permission', () => {
  const guest = { ...allPermissions, can_upload: false, role: 'guest' } as MeJson
  expect(namesOf(firstStepsOf(guest, noData))).toEqual(['ask'])
})

it('marks steps as done by the existing data', () => {
  const admin = { ...allPermissions, role: 'admin' } as MeJson
  const instance = { hasModel: true, hasLocalModel: false, mayRunModels: true, hasBackup: true, people: 2 }
  const steps = firstStepsOf(admin, { conversations: 1, uploads: 2, searches: 4, instance })
  expect(namesOf(steps, false)).toEqual(['localModels', 'upload'])
  expect(steps.find(({ name }) => name === 'upload')).toMatchObject({ count: 2 })
})

it('marks neither searching nor asking as done before anything is uploaded', () => {
  const regularUser = { ...allPermissions, role: 'user' } as MeJson
  const steps = firstStepsOf(regularUser, { ...noData, conversations: 2, searches: 3 })
  expect(namesOf(steps, true)).toEqual([])
})

it('requires local models only when none is connected and they may run', () => {
  const admin = { ...allPermissions, role: 'admin' } as MeJson
  const isNeeded = (hasModel: boolean, mayRunModels: boolean) => {
    const instance = { hasModel, mayRunModels, hasLocalModel: false, hasBackup: false, people: 1 }
    return firstStepsOf(admin, { ...noData, instance }).find(({ name }) => name === 'localModels')?.isNeeded
  }
  expect([isNeeded(false, true), isNeeded(true, true), isNeeded(false, false)]).toEqual([true, false, false])
})
