import { fileURLToPath } from 'node:url'
import { testMessageFiles } from '@mira/shared/test/message-files'

testMessageFiles({ folder: import.meta.dirname, project: `${import.meta.dirname}/../..` })

testMessageFiles({
  folder: fileURLToPath(new URL('../../../../packages/shared/src/messages', import.meta.url)),
  project: `${import.meta.dirname}/../..`,
  mentions: /Text<'problems'>/,
})
