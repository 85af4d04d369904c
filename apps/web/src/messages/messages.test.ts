import { fileURLToPath } from 'node:url'
import { testMessageFiles } from '@mira/shared/test/message-files'
import { expect, it } from 'vitest'
import aboutMe from './fr/about-me.json'

testMessageFiles({ folder: import.meta.dirname, project: `${import.meta.dirname}/../..` })

testMessageFiles({
  folder: fileURLToPath(new URL('../../../../packages/shared/src/messages', import.meta.url)),
  project: `${import.meta.dirname}/../..`,
  mentions: /Text<'problems'>/,
})

it('French texts have a no-break space before punctuation', () => {
  expect(aboutMe.facts.forgetQuestion).toBe('Oublier ceci\u00a0?')
})
