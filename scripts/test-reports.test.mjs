import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from './steps.mjs'
import { countPlaywright, countVitest } from './test-reports.mjs'

const root = join(import.meta.dirname, '..')

/** Runs vitest on these files in a separate folder and counts its report. */
async function runVitest(files) {
  const folder = await mkdtemp(join(tmpdir(), 'mira-reports-'))
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const report = join(folder, 'report.json')
    const { code, output } = await run([
      'vitest',
      'run',
      '--root',
      folder,
      '--config',
      join(folder, 'vitest.config.mjs'),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ])
    const text = await readFile(report, 'utf8').catch(() => 'null')
    return { code, counts: countVitest(JSON.parse(text), code, { output, root: folder }) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const config = 'export default {}'
const passing = "import { test } from 'vitest'\ntest('a', () => {})\ntest.skip('b', () => {})"

test('counts passed, failed and skipped tests as vitest reports them', async () => {
  const { code, counts } = await runVitest({
    'vitest.config.mjs': config,
    'a.test.mjs': passing,
    'b.test.mjs': `import { describe, test } from 'vitest'
      describe('a group', () => test('c', () => { throw new Error('no\\nmore') }))
      test('d', () => {})`,
  })
  expect(code).toBe(1)
  expect(counts).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
    failures: ['b.test.mjs › a group › c: Error: no more'],
  })
})

test('counts a file that can’t be loaded as a failure', async () => {
  const { counts } = await runVitest({
    'vitest.config.mjs': config,
    'a.test.mjs': passing,
    'b.test.mjs': "import './nowhere.mjs'",
  })
  expect(counts).toMatchObject({ passed: 1, failed: 1, skipped: 1 })
  expect(counts.failures).toEqual([expect.stringMatching(/^b\.test\.mjs: Cannot find module '.\/nowhere\.mjs'/)])
})

test('counts an error outside of every test as a failure', async () => {
  const { counts } = await runVitest({
    'vitest.config.mjs': config,
    'a.test.mjs': `${passing}\nsetTimeout(() => { throw new Error('late') }, 1)\ntest('c', () => new Promise((r) => setTimeout(r, 30)))`,
  })
  expect(counts).toMatchObject({ failed: 1, failures: ['outside of the tests: Error: late'] })
})

test('counts no test at all, and a runner that can’t start, as a failure', async () => {
  const nothing = { passed: 0, failed: 1, skipped: 0 }
  expect(await runVitest({ 'vitest.config.mjs': config })).toMatchObject({ counts: nothing })
  expect((await runVitest({ 'vitest.config.mjs': "throw new Error('broken')" })).counts).toEqual({
    ...nothing,
    failures: ['the runner: Error: broken'],
  })
})

test('counts browser tests, and a run without tests as failed', () => {
  const result = (message) => ({ error: message && { message } })
  const suites = [
    {
      title: 'a.spec.ts',
      file: 'a.spec.ts',
      specs: [{ title: 'b', tests: [{ status: 'expected', results: [result()] }] }],
      suites: [
        {
          title: 'on a phone',
          specs: [
            { title: 'c', tests: [{ status: 'unexpected', results: [result('Error: \u001b[2mno\u001b[22m\nmore')] }] },
          ],
        },
      ],
    },
  ]
  const stats = { expected: 5, unexpected: 1, skipped: 2 }
  expect(countPlaywright({ stats, suites }, 1)).toEqual({
    passed: 5,
    failed: 1,
    skipped: 2,
    failures: ['e2e/a.spec.ts › on a phone › c: Error: no more'],
  })
  const nothing = { passed: 0, failed: 1, skipped: 0 }
  const errors = [{ message: 'Error: No tests found' }]
  const none = { expected: 0, unexpected: 0, skipped: 0 }
  expect(countPlaywright({ stats: none, errors }, 1)).toEqual({
    ...nothing,
    failures: ['outside of the tests: Error: No tests found'],
  })
  expect(countPlaywright(null, 1)).toMatchObject(nothing)
})
