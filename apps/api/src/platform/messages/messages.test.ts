import { testMessageFiles } from '@mira/shared/test/message-files'
import { expect, it } from 'vitest'
import { textsIn } from './texts.ts'

testMessageFiles({
  folder: import.meta.dirname,
  project: `${import.meta.dirname}/../..`,
  mentions: /messages\/texts\.ts'/,
})

it('texts break only between words', () => {
  expect(textsIn('files', 'fr')('nothingAbout', { topic: 'phare' })).toContain('«\u00a0phare\u00a0»')
})
