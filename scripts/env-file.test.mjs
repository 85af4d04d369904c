import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mistakeInEnvFile } from './env-file.mjs'

function mistakeIn(contents) {
  const folder = mkdtempSync(join(tmpdir(), 'mira-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, '.env'), contents)
  return mistakeInEnvFile(join(folder, '.env'))
}

test('a value that would lose its end at a # is refused', () => {
  expect(mistakeIn('PORT=3000\r\nBACKUP_PASSPHRASE=violet harbour#teapot\r\n')).toMatch(
    /BACKUP_PASSPHRASE would end at/,
  )
  expect(mistakeIn('export ADMIN_PASSWORD = a#b')).toMatch(/ADMIN_PASSWORD would end at/)
})

test('quoted values, comments and empty values are accepted', () => {
  const lines = [
    '# A=b#c',
    'A="b#c"',
    "B='b#c' # why",
    'C=b # why',
    'D=',
    'E=   # why',
    'F=#',
    'G=b c   # d#e',
    'not a setting#',
    'KEY="-----BEGIN\nabc=de#f\n-----END"',
  ]
  expect(mistakeIn(lines.join('\n'))).toBeNull()
})

test('a file that Windows saved as UTF-16 or with a byte order mark is refused', () => {
  expect(mistakeIn(Buffer.from('PORT=4000\n', 'utf16le'))).toMatch(/UTF-8/)
  expect(mistakeIn('\uFEFFPORT=4000\n')).toMatch(/UTF-8/)
  expect(mistakeIn('\uFEFF# Everything here is optional\nPORT=4000\n')).toBeNull()
})
