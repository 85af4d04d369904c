import { testMessageFiles } from '@mira/shared/test/message-files'
import { expect, it } from 'vitest'
import { textsIn } from './texts.ts'

testMessageFiles({
  folder: import.meta.dirname,
  project: `${import.meta.dirname}/../..`,
  mentions: /messages\/texts\.ts'/,
})

it('texts have no-break spaces inside French quotation marks', () => {
  expect(textsIn('files', 'fr')('nothingAbout', { topic: 'phare' })).toContain('«\u00a0phare\u00a0»')
})
