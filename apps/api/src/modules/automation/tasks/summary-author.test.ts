import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { writeSummary } from './summaries.service.ts'

const figures = { whose: 'one person', messages: 1204, uploads: 3, previous: { messages: 900, uploads: 0 } }

test.each([
  ['You wrote 1,204 messages, after 900, and added 3 files.', true],
  ['Sie schrieben 1.204 Nachrichten.', true],
  ['You wrote many messages.', true],
  ['You wrote 1205 messages.', false],
  ['That is 34% more.', false],
  ['{"messages": 1204}', false],
  ['', false],
  ['word '.repeat(400), false],
])(
  'accepts a model’s text only when it’s prose of moderate length with the counted numbers: %s',
  async (text, isAccepted) => {
    const writeText = async () => ({ text, engine: 'remote', model: 'a model' })
    const summary = await writeSummary({ writeText, log: silentLog }, figures, 'en', AbortSignal.timeout(10_000))
    expect(summary).toEqual(isAccepted ? { text, engine: 'remote', model: 'a model' } : null)
  },
)

test('returns null when the model fails or is missing', async () => {
  const warnings: unknown[] = []
  const log = { warn: (fields: unknown) => void warnings.push(fields) }
  const write = (writeText: Parameters<typeof writeSummary>[0]['writeText']) =>
    writeSummary({ writeText, log }, figures, 'de', AbortSignal.timeout(10_000))
  expect(await write(() => Promise.reject(new Error('away')))).toBeNull()
  expect(await write(async () => null)).toBeNull()
  expect(warnings).toHaveLength(1)
})
