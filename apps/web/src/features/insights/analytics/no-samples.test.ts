import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const apps = fileURLToPath(new URL('../../../../..', import.meta.url))

/** Figures of sample data that screens used to show; none may come back. */
const samples = /(?<![\w#.])(1,?247|89,?247|98%|0\.2%)(?![\w.])|127 users|users: 127/i

it('no source contains a figure of the former sample data', () => {
  const matches = [`${apps}/api/src`, `${apps}/web/src`].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tsx?|json)$/.test(file) && !/\.test\.tsx?$|generated/.test(file))
      .filter((file) => samples.test(readFileSync(`${folder}/${file}`, 'utf8'))),
  )
  expect(matches).toEqual([])
})
