import { testMessageFiles } from '@mira/shared/test/message-files'

testMessageFiles({
  folder: import.meta.dirname,
  project: `${import.meta.dirname}/../..`,
  mentions: /messages\/texts\.ts'/,
})
