import type { MeJson } from '@mira/shared'
import { expect, it } from 'vitest'
import { firstStepsOf } from './first-steps.tsx'

const everything = { is_active: true, can_chat: true, can_upload: true, can_use_agents: true, can_use_voice: true }
const nothing = { conversations: 0, uploads: 0, searches: 0, instance: null }
const namesOf = (steps: ReturnType<typeof firstStepsOf>, isDone?: boolean) =>
  steps.filter((step) => isDone === undefined || step.isDone === isDone).map(({ name }) => name)

it('everybody uploads, searches and asks; an administrator also sets the server up', () => {
  const person = { ...everything, role: 'user' } as MeJson
  expect(namesOf(firstStepsOf(person, nothing))).toEqual(['upload', 'search', 'ask'])
  const instance = { hasModel: false, hasLocalModel: false, mayRunModels: true, hasBackup: false, people: 1 }
  expect(namesOf(firstStepsOf({ ...person, role: 'admin' }, { ...nothing, instance }))).toEqual([
    ...['model', 'localModels', 'backup', 'people'],
    ...['upload', 'search', 'ask'],
  ])
})

it('what somebody may not do is none of their steps', () => {
  const guest = { ...everything, can_upload: false, role: 'guest' } as MeJson
  expect(namesOf(firstStepsOf(guest, nothing))).toEqual(['ask'])
})

it('a step is done by what there is', () => {
  const admin = { ...everything, role: 'admin' } as MeJson
  const instance = { hasModel: true, hasLocalModel: false, mayRunModels: true, hasBackup: true, people: 2 }
  const steps = firstStepsOf(admin, { conversations: 1, uploads: 2, searches: 4, instance })
  expect(namesOf(steps, false)).toEqual(['localModels', 'upload'])
  expect(steps.find(({ name }) => name === 'upload')).toMatchObject({ has: 2 })
})

it('nothing is found again, and nothing asked about, while nothing is there', () => {
  const person = { ...everything, role: 'user' } as MeJson
  const steps = firstStepsOf(person, { ...nothing, conversations: 2, searches: 3 })
  expect(namesOf(steps, true)).toEqual([])
})

it('models that run here are needed where none is connected and they may run, and optional otherwise', () => {
  const admin = { ...everything, role: 'admin' } as MeJson
  const isNeeded = (hasModel: boolean, mayRunModels: boolean) => {
    const instance = { hasModel, mayRunModels, hasLocalModel: false, hasBackup: false, people: 1 }
    return firstStepsOf(admin, { ...nothing, instance }).find(({ name }) => name === 'localModels')?.isNeeded
  }
  expect([isNeeded(false, true), isNeeded(true, true), isNeeded(false, false)]).toEqual([true, false, false])
})
