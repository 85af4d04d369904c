import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const prismaScript = resolve(import.meta.dirname, '../../../../../scripts/prisma.mjs')

test('the migrations match schema.prisma exactly', { timeout: 60_000 }, () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      prismaScript,
      ...['migrate', 'diff', '--exit-code'],
      ...['--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma'],
    ],
    { encoding: 'utf8' },
  )
  // The output names the difference when there is one.
  expect({ status, output: status === 0 ? '' : stdout + stderr }).toStrictEqual({ status: 0, output: '' })
})
